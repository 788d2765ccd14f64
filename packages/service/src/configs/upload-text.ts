import { isUtf8 } from 'node:buffer';
import type { Problem } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';

/** Returns the text of an uploaded config. Refuses an empty body, and bytes that are not UTF-8. */
export function uploadText(body: Buffer | undefined): string {
  if (body === undefined || body.length === 0) {
    throw new ApiError('HR_REQUEST_EMPTY_BODY', 'The body is empty; a config is expected', {
      hint: 'Send the config as HOCON (Content-Type: application/hocon) or as JSON (application/json).',
    });
  }
  if (!isUtf8(body)) {
    throw new ApiError('HR_CONFIG_REFUSED', 'The config is not UTF-8 text', { hint: 'Save it as UTF-8.' });
  }
  const text = body.toString('utf8');
  if (text.trim() === '') throw new ApiError('HR_REQUEST_EMPTY_BODY', 'The body is blank; a config is expected');
  return text;
}

/** Throws an error that refuses a config because of its problems. The message contains the first error. */
export function refuseConfig(problems: readonly Problem[]): never {
  const errors = problems.filter((problem) => problem.severity === 'error');
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new ApiError('HR_CONFIG_REFUSED', `The config cannot be used: ${place(first)}${first?.message ?? ''}${rest}`, {
    problems,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    ...(first === undefined ? {} : { code: first.code }),
  });
}

function place(problem: Problem | undefined): string {
  return problem?.line === undefined ? '' : `line ${problem.line}, column ${problem.column}: `;
}
