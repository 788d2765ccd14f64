/** The error of a script. */
export interface ScriptProblem {
  /** `start` if the script could not be started, `run` if it failed while it ran. */
  readonly when: 'start' | 'run';
  /** A message with the name of the script, and the line if it is known. */
  readonly message: string;
  /** The code of the error, if the host or the script set one. */
  readonly code?: unknown;
  readonly hint?: string;
}

/** Creates the error for a problem, because callers have their own error classes and codes. */
export type MakeError = (problem: ScriptProblem) => Error;

/** A value that a script threw, as plain data that can cross realms. */
export interface ScriptFailure {
  readonly message: string;
  /** The stack trace of the engine that ran the script. The line is read from it. */
  readonly stack?: string;
  /** The error code, if the host rejected an operation. */
  readonly code?: string;
  /** True if a lack of memory may have damaged the realm of the script. */
  readonly fatal?: boolean;
  /** True if the script was interrupted. A loop has no line in the stack, only calls before or in it. */
  readonly interrupted?: boolean;
}

/** Returns the problem of a run in which a script failed. */
export function problemOf({ message, stack, code, interrupted }: ScriptFailure, script: string): ScriptProblem {
  const line = stack === undefined ? undefined : lineIn(stack, script);
  return { when: 'run', message: placed(message, script, line, interrupted), code };
}

/**
 * Returns a message with its position at the start.
 * @param near true if the line is only close to the position
 */
export function placed(message: string, script: string, line: number | undefined, near = false): string {
  return line === undefined ? `${script}: ${message}` : `${script}, ${near ? 'near ' : ''}line ${line}: ${message}`;
}

/** Returns the line of the innermost position in the script from a stack trace of V8 or QuickJS. */
function lineIn(stack: string, script: string): number | undefined {
  const place = new RegExp(
    `^[ \\t]*at (?:.*[( ])?${script.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+):\\d+\\)?$`,
    'm',
  );
  const line = place.exec(stack)?.[1];
  return line === undefined ? undefined : Number(line);
}
