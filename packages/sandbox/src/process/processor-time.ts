import { readFileSync } from 'node:fs';

/** What the kernel counts in, on each Linux. */
const MILLIS_A_TICK = 10;
/** Where user time and system time are, counted from the state of the process. */
const [USER, SYSTEM] = [11, 12];

/**
 * The processor time, in milliseconds, of the program that runs in a boundary, all of its threads included. The process
 * of this id is the tool that made the boundary: the program is at the end of its line of children.
 *
 * @returns undefined when the process is no more
 */
export function lockedInMillis(pid: number): number | undefined {
  try {
    let innermost = pid;
    for (;;) {
      const [child] = readFileSync(`/proc/${innermost}/task/${innermost}/children`, 'utf8').split(' ');
      if (child === undefined || child === '') break;
      innermost = Number(child);
    }
    // The name of the program, in parentheses, may have blanks.
    const fields = readFileSync(`/proc/${innermost}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[USER]) + Number(fields[SYSTEM])) * MILLIS_A_TICK;
  } catch {
    return undefined;
  }
}
