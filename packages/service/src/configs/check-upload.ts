import {
  checkConfig,
  configToJson,
  hasErrors,
  maskedSecrets,
  maskSecrets,
  type Problem,
  type ReadConfig,
  type ReadConfigOptions,
  type Registry,
  readConfigText,
} from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ConfigFormat } from '../store/store.ts';
import { boundProblems } from './bound-problems.ts';
import { configAnswer } from './config-answer.ts';
import type { ConfigNode, ConfigRoot } from './config-source.ts';

/** Lists, objects and all that is in them. */
const MAX_VALUES = 100_000;

/** A text that a stranger sent, read. */
export interface ReadUpload {
  /** What the text is. */
  format: ConfigFormat;
  /** Undefined when it does not parse or resolve. */
  root: ConfigRoot | undefined;
  problems: Problem[];
}

/** A text that a stranger sent, read and checked. */
export interface CheckedUpload {
  /** What GET answers for it; undefined when it does not parse or resolve. */
  stored: { answer: string; digest: string; format: ConfigFormat } | undefined;
  problems: Problem[];
  /** Where it has the mask of a secret for a value. */
  masks: Problem[];
}

/** A text that is run without being stored as it is. */
export interface InlineConfig extends ReadUpload {
  digest: string;
  /** What was laid over it, as it stands in the config, secrets masked. */
  maskedOverrides: Record<string, unknown> | undefined;
}

/**
 * Reads an upload: it sees no environment, no files and no includes.
 * @param sent as what it was sent. What is not JSON then is HOCON, as in the reference.
 */
export function readUpload(text: string, sent: ConfigFormat): ReadUpload {
  const { root, problems, format } = readAs(text, sent, {});
  if (root !== undefined) boundValues(root);
  return { root: hasErrors(problems) ? undefined : root, problems: boundProblems(problems), format };
}

function readAs(text: string, sent: ConfigFormat, options: ReadConfigOptions): ReadConfig & { format: ConfigFormat } {
  if (sent === 'json') {
    const read = readConfigText(text, { ...options, format: 'json' });
    if (!hasErrors(read.problems)) return { ...read, format: 'json' };
  }
  return { ...readConfigText(text, options), format: 'hocon' };
}

/**
 * Reads an upload that is run as it is now.
 * @param overrides an object as JSON: values by path that are laid over the text
 */
export function readInline(text: string, sent: ConfigFormat, overrides: string | undefined): InlineConfig {
  const { root, problems, format } = readAs(text, sent, overrides === undefined ? {} : { overrides });
  if (root === undefined || hasErrors(problems)) {
    return { root: undefined, problems: boundProblems(problems), format, digest: '', maskedOverrides: undefined };
  }
  boundValues(root);
  // By themselves they have their place in a config, where the names of keys tell what is secret.
  const alone = overrides === undefined ? undefined : readConfigText('{}', { format: 'json', overrides }).root;
  const maskedOverrides = alone && (JSON.parse(configToJson(maskSecrets(alone))) as Record<string, unknown>);
  return { root, problems: boundProblems(problems), format, digest: configAnswer(root).digest, maskedOverrides };
}

/** What is read goes on to other threads value by value, which takes the service's own time. */
function boundValues(root: ConfigRoot): void {
  let values = 0;
  for (const pending: ConfigNode[] = [root]; pending.length > 0; ) {
    const node = pending.pop() as ConfigNode;
    values++;
    const inner = node.kind === 'object' ? node.entries.values() : node.kind === 'list' ? node.items : [];
    for (const child of inner) {
      if (values + pending.length >= MAX_VALUES) {
        throw new ApiError('HR_CONFIG_REFUSED', `The config has more than ${MAX_VALUES} values`, {
          hint: 'Put long lists into files that its components read.',
        });
      }
      pending.push(child);
    }
  }
}

/** All problems of an upload, of which nothing is kept. */
export async function problemsOfUpload(text: string, format: ConfigFormat, registry: Registry): Promise<Problem[]> {
  const { root, problems } = readUpload(text, format);
  if (root === undefined) return problems;
  return boundProblems((await checkConfig(root, registry, { readFiles: false })).problems);
}

/** Reads an upload and checks it as a config. */
export async function checkUpload(text: string, sent: ConfigFormat, registry: Registry): Promise<CheckedUpload> {
  const { root, problems, format } = readUpload(text, sent);
  if (root === undefined) return { stored: undefined, problems, masks: [] };
  return {
    stored: { ...configAnswer(root), format },
    problems: boundProblems((await checkConfig(root, registry, { readFiles: false })).problems),
    masks: maskedSecrets(root).map((problem) => ({ ...problem, severity: 'error' })),
  };
}
