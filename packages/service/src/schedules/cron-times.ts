import { nearest } from '@headrace/engine';
import { Cron } from 'croner';

/** When a schedule is due. */
export interface CronTiming {
  cron: string;
  timezone: string;
}

/** Why a timing is refused, and what to do. */
export interface TimingProblem {
  /** The setting that is wrong. */
  setting: keyof CronTiming;
  message: string;
  hint: string;
}

interface Field {
  name: string;
  hint: string;
}

const MODE = '5-or-6-parts';

const FIELDS: readonly Field[] = [
  { name: 'second', hint: 'Write 0 to 59, or *, */15, 10-20 or 0,30.' },
  { name: 'minute', hint: 'Write 0 to 59, or *, */15, 10-20 or 0,30.' },
  { name: 'hour', hint: 'Write 0 to 23, or *, */6, 8-18 or 9,17.' },
  {
    name: 'day of the month',
    hint: 'Write 1 to 31, or *, */2, 1-7, 1,15, L (the last day) or 15W (the nearest weekday).',
  },
  { name: 'month', hint: 'Write 1 to 12 or JAN to DEC, or *, */3, 1-6 or JAN,JUL.' },
  {
    name: 'day of the week',
    hint: 'Write 0 to 7 (Sunday is 0 and 7) or SUN to SAT, or *, MON-FRI, MON,THU or FRI#2 (the second).',
  },
];

/** How many times of an expression are compared to find the shortest interval. Daily and monthly patterns repeat. */
const COMPARED_TIMES = 100;

/** The times of a cron expression. All times are in seconds since the epoch. */
export class CronTimes {
  readonly #cron: Cron;

  /** @param timing must have no problem */
  constructor({ cron, timezone }: CronTiming) {
    this.#cron = new Cron(cron, { timezone, mode: MODE, paused: true });
  }

  /** Returns the next times after a time. Fewer if the expression has an end. */
  after(seconds: number, count: number): number[] {
    return this.#cron.nextRuns(count, new Date(seconds * 1000)).map((date) => date.getTime() / 1000);
  }
}

/** Returns what is wrong with a timing: its syntax, its time zone, or that it is never or too often due. */
export function timingProblem(timing: CronTiming, minSeconds: number): TimingProblem | undefined {
  return syntaxProblem(timing.cron) ?? timezoneProblem(timing.timezone) ?? frequencyProblem(timing.cron, minSeconds);
}

function syntaxProblem(cron: string): TimingProblem | undefined {
  const fields = cron.trim() === '' ? [] : cron.trim().split(/\s+/);
  if (fields.length < 5 || fields.length > 6) {
    return {
      setting: 'cron',
      message: `A cron expression has 5 or 6 fields; ${JSON.stringify(cron)} has ${fields.length}`,
      hint: 'Write minute, hour, day of the month, month and day of the week: 0 3 * * * is every day at 03:00. A sixth field in front is the second.',
    };
  }
  const known = FIELDS.slice(-fields.length);
  for (const [i, field] of known.entries()) {
    // All other fields are valid, so only this one can be wrong.
    const alone = known.map((_, j) => (i === j ? fields[j] : '*')).join(' ');
    if (parses(alone)) continue;
    return {
      setting: 'cron',
      message: `The ${field.name} ${fields[i]} of the cron expression is not valid`,
      hint: field.hint,
    };
  }
  return undefined;
}

function parses(cron: string): boolean {
  try {
    new Cron(cron, { mode: MODE, paused: true });
    return true;
  } catch {
    return false;
  }
}

function timezoneProblem(timezone: string): TimingProblem | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return undefined;
  } catch {
    const near = nearest(timezone, Intl.supportedValuesOf('timeZone'));
    return {
      setting: 'timezone',
      message: `There is no time zone ${JSON.stringify(timezone)}`,
      hint: near === undefined ? 'Write an IANA name such as Europe/Berlin, or UTC.' : `Did you mean ${near}?`,
    };
  }
}

/** Compares the times in UTC, because a change of the clocks makes one interval of another zone shorter. */
function frequencyProblem(cron: string, minSeconds: number): TimingProblem | undefined {
  const times = new CronTimes({ cron, timezone: 'UTC' }).after(Date.now() / 1000, COMPARED_TIMES);
  if (times.length === 0) {
    return {
      setting: 'cron',
      message: `The cron expression ${cron} is never due`,
      hint: 'No date has this day of the month, month and day of the week.',
    };
  }
  const shortest = Math.min(...times.slice(1).map((time, i) => time - (times[i] as number)));
  if (shortest >= minSeconds) return undefined;
  return {
    setting: 'cron',
    message: `The cron expression ${cron} is due every ${shortest} seconds; the limit is ${minSeconds} seconds`,
    hint: 'Use a longer interval, or lower limits.minScheduleSeconds in the service file.',
  };
}
