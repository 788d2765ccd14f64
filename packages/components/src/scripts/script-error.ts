import { ERROR_CODES, type ErrorCode, HeadraceError } from '@headrace/engine';
import type { ScriptProblem } from '@headrace/sandbox/problems';

/** The name of a script that is in the config itself. */
export const INLINE_SCRIPT = 'script';

/** The error of a script that could not be started, or of a document on which it failed. */
export function scriptError({ when, message, code, hint }: ScriptProblem): HeadraceError {
  const known = knownCode(code) ?? (when === 'start' ? 'HR_STAGE_START' : 'HR_STAGE_FAILED');
  return new HeadraceError(known, message, hint === undefined ? {} : { hint });
}

/** A code that came out of a script's realm, if it is one. */
function knownCode(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined;
}
