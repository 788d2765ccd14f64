import { ERROR_CODES, type ErrorCode, HeadraceError } from '@headrace/engine';
import type { ScriptFailure } from './script-realm.ts';

/** What to call a script that stands in the config itself. */
export const INLINE_SCRIPT = 'script';

/** The error of a document on which a script failed: it names the script's line. */
export function scriptError({ message, stack, code, interrupted }: ScriptFailure, script: string): HeadraceError {
  const line = stack === undefined ? undefined : lineIn(stack, script);
  return new HeadraceError(knownCode(code) ?? 'HR_STAGE_FAILED', placed(message, script, line, interrupted));
}

/** A code that came out of a script's realm, if it is one. */
export function knownCode(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : undefined;
}

/**
 * A message with the place it is about in front.
 *
 * @param near whether the line is only close to that place
 */
export function placed(message: string, script: string, line: number | undefined, near = false): string {
  return line === undefined ? `${script}: ${message}` : `${script}, ${near ? 'near ' : ''}line ${line}: ${message}`;
}

/** The line of the innermost place in the script that a stack names, in the notations of V8 and of QuickJS. */
function lineIn(stack: string, script: string): number | undefined {
  const place = new RegExp(
    `^[ \\t]*at (?:.*[( ])?${script.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+):\\d+\\)?$`,
    'm',
  );
  const line = place.exec(stack)?.[1];
  return line === undefined ? undefined : Number(line);
}
