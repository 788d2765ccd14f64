import { ERROR_CODES, type ErrorCode, HeadraceError } from '@headrace/engine';
import type { ScriptProblem } from '@headrace/sandbox/problems';

/** The name of a script that is part of the config. */
export const INLINE_SCRIPT = 'script';

/** Returns the error for a script that could not start, or that failed on a document. */
export function scriptError({ when, message, code, hint }: ScriptProblem): HeadraceError {
  const known = knownCode(code) ?? (when === 'start' ? 'HR_STAGE_START' : 'HR_STAGE_FAILED');
  return new HeadraceError(known, message, hint === undefined ? {} : { hint });
}

/** Returns the code that a script reported if it is a known error code. */
function knownCode(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined;
}
