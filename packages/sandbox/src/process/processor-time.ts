import { readFileSync } from 'node:fs';

/** The unit of the kernel's times on every Linux. */
const MILLIS_A_TICK = 10;
/** The positions of the user time and the system time, counted from the state of the process. */
const [USER, SYSTEM] = [11, 12];

/**
 * Returns the processor time, in milliseconds, of the program in a boundary, including all its threads. The process
 * with this id is the tool that created the boundary. The program is at the end of its chain of children.
 * @returns undefined if the process no longer exists
 */
export function lockedInMillis(pid: number): number | undefined {
  try {
    let innermost = pid;
    for (;;) {
      const [child] = readFileSync(`/proc/${innermost}/task/${innermost}/children`, 'utf8').split(' ');
      if (child === undefined || child === '') break;
      innermost = Number(child);
    }
    // The name of the program is in parentheses, and may contain blanks.
    const fields = readFileSync(`/proc/${innermost}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[USER]) + Number(fields[SYSTEM])) * MILLIS_A_TICK;
  } catch {
    return undefined;
  }
}
