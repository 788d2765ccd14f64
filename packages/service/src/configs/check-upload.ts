import { checkConfig, hasErrors, type Problem, type Registry, readConfigText } from '@headrace/engine';
import type { ConfigFormat } from '../store/store.ts';
import { boundProblems } from './bound-problems.ts';
import { configAnswer } from './config-answer.ts';
import type { ConfigRoot } from './config-source.ts';

/** A text that a stranger sent, read. */
export interface ReadUpload {
  /** Undefined when it does not parse or resolve. */
  root: ConfigRoot | undefined;
  problems: Problem[];
}

/** A text that a stranger sent, read and checked. */
export interface CheckedUpload {
  /** What GET answers for it; undefined when it does not parse or resolve. */
  stored: { answer: string; digest: string } | undefined;
  problems: Problem[];
}

/** Reads an upload: it sees no environment, no files and no includes. */
export function readUpload(text: string, format: ConfigFormat): ReadUpload {
  const { root, problems } = readConfigText(text, { format });
  return { root: hasErrors(problems) ? undefined : root, problems: boundProblems(problems) };
}

/** Reads an upload and checks it as a config. */
export async function checkUpload(text: string, format: ConfigFormat, registry: Registry): Promise<CheckedUpload> {
  const { root, problems } = readUpload(text, format);
  if (root === undefined) return { stored: undefined, problems };
  return {
    stored: configAnswer(root),
    problems: boundProblems((await checkConfig(root, registry, { readFiles: false })).problems),
  };
}
