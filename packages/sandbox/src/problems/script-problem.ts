/** What went wrong with a script. */
export interface ScriptProblem {
  /** Whether the script could not be started, or failed while it ran. */
  readonly when: 'start' | 'run';
  /** It names the script, and its line where that is known. */
  readonly message: string;
  /** The code of the error, where the host or the script gave one. */
  readonly code?: unknown;
  readonly hint?: string;
}

/** Makes the error that is thrown for a problem: callers have their own classes and codes. */
export type MakeError = (problem: ScriptProblem) => Error;

/** What a script threw, as plain data: it crosses realms. */
export interface ScriptFailure {
  readonly message: string;
  /** Of the engine that ran the script; the line is read from it. */
  readonly stack?: string;
  /** The code of what the host refused. */
  readonly code?: string;
  /** Whether the script's own realm may be damaged, by a lack of memory. */
  readonly fatal?: boolean;
  /** Whether it was ended in the middle of something: a loop itself has no line, only what is called before or in it. */
  readonly interrupted?: boolean;
}

/** The problem of a run on which a script failed. */
export function problemOf({ message, stack, code, interrupted }: ScriptFailure, script: string): ScriptProblem {
  const line = stack === undefined ? undefined : lineIn(stack, script);
  return { when: 'run', message: placed(message, script, line, interrupted), code };
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
