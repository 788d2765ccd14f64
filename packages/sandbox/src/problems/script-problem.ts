/** The error of a script. */
export interface ScriptProblem {
  /** Whether the script could not be started, or failed while it ran. */
  readonly when: 'start' | 'run';
  /** It names the script, and its line if that is known. */
  readonly message: string;
  /** The code of the error, if the host or the script set one. */
  readonly code?: unknown;
  readonly hint?: string;
}

/** Creates the error that is thrown for a problem, because callers have their own classes and codes. */
export type MakeError = (problem: ScriptProblem) => Error;

/** The value that a script threw, as plain data, because it crosses realms. */
export interface ScriptFailure {
  readonly message: string;
  /** From the engine that ran the script. The line is read from it. */
  readonly stack?: string;
  /** The code of the host's refusal. */
  readonly code?: string;
  /** Whether a lack of memory may have damaged the script's realm. */
  readonly fatal?: boolean;
  /** Whether it was ended in the middle of something. A loop itself has no line, only calls before or in it. */
  readonly interrupted?: boolean;
}

/** Returns the problem of a run in which a script failed. */
export function problemOf({ message, stack, code, interrupted }: ScriptFailure, script: string): ScriptProblem {
  const line = stack === undefined ? undefined : lineIn(stack, script);
  return { when: 'run', message: placed(message, script, line, interrupted), code };
}

/**
 * Returns a message with its position at the start.
 * @param near whether the line is only close to that position
 */
export function placed(message: string, script: string, line: number | undefined, near = false): string {
  return line === undefined ? `${script}: ${message}` : `${script}, ${near ? 'near ' : ''}line ${line}: ${message}`;
}

/** Returns the line of the innermost position in the script in a stack trace, in the notations of V8 and of QuickJS. */
function lineIn(stack: string, script: string): number | undefined {
  const place = new RegExp(
    `^[ \\t]*at (?:.*[( ])?${script.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+):\\d+\\)?$`,
    'm',
  );
  const line = place.exec(stack)?.[1];
  return line === undefined ? undefined : Number(line);
}
