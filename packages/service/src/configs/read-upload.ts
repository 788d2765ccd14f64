import { isUtf8 } from 'node:buffer';
import { hasErrors, type Problem, readConfigText } from '@headrace/engine';
import { Refusal } from '../errors/refusal.ts';
import type { ConfigFormat } from '../store/store.ts';
import type { ConfigRoot } from './config-source.ts';

/** The text of an uploaded config. Refuses an empty body, and bytes that are no text. */
export function uploadText(body: Buffer | undefined): string {
  if (body === undefined || body.length === 0) {
    throw new Refusal('HR_REQUEST_EMPTY_BODY', 'The body is empty; a config is expected', {
      hint: 'Send the config as HOCON (Content-Type: application/hocon) or as JSON (application/json).',
    });
  }
  if (!isUtf8(body)) {
    throw new Refusal('HR_CONFIG_REFUSED', 'The config is not text in UTF-8', { hint: 'Save it in that encoding.' });
  }
  const text = body.toString('utf8');
  if (text.trim() === '') throw new Refusal('HR_REQUEST_EMPTY_BODY', 'The body is blank; a config is expected');
  return text;
}

/** Reads a text that a stranger sent: it sees no environment, no files and no includes. */
export function readUpload(text: string, format: ConfigFormat): { root: ConfigRoot | undefined; problems: Problem[] } {
  const { root, problems } = readConfigText(text, { format });
  return { root: hasErrors(problems) ? undefined : root, problems };
}

/** Refuses a config for its problems. The message says the first. */
export function refuseConfig(problems: readonly Problem[]): never {
  const errors = problems.filter((problem) => problem.severity === 'error');
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new Refusal('HR_CONFIG_REFUSED', `The config cannot be used: ${place(first)}${first?.message ?? ''}${rest}`, {
    problems,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    ...(first === undefined ? {} : { code: first.code }),
  });
}

function place(problem: Problem | undefined): string {
  return problem?.line === undefined ? '' : `line ${problem.line}, column ${problem.column}: `;
}
