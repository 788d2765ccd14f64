import { type DateZone, epochDayOf, formatUtc, resolveZone } from '../date/index.ts';

const TIME =
  /^(\d{4,7})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d*))?)?)?(?:Z|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)?( BC)?$/;
const UTC = new Set(['UTC', 'Etc/UTC', 'GMT', 'Etc/GMT', 'Z', 'Etc/UCT', 'Etc/Zulu']);
const SECONDS_PER_DAY = 86_400;

/** Returns the id of the zone of this process. */
export function processZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Converts dates and times in the form of databases (`2024-01-02`, `2024-01-02 03:04:05.678`, with or without an
 * offset) to instants in milliseconds: `2024-01-02T03:04:05.678Z`. A text without an offset is read in the given zone,
 * and a date is midnight in this zone.
 */
export class SqlTimes {
  /** The first text that was not an instant, or undefined if there is none. */
  #unreadable: string | undefined;
  /** The number of texts that were not instants. */
  invalid = 0;
  readonly #zone: DateZone;
  readonly #utc: boolean;

  constructor(zoneId: string) {
    this.#zone = resolveZone(zoneId);
    this.#utc = UTC.has(zoneId);
  }

  /** A message about texts that are not instants (`infinity`, `0000-00-00`). Undefined if there are none. */
  get warning(): string | undefined {
    if (this.#unreadable === undefined) return undefined;
    return `values such as ${this.#unreadable || '""'} are not valid times: their fields are omitted (logged once)`;
  }

  /** Returns the instant of a text, or null if the text is not an instant. */
  instant(text: string): string | null {
    if (this.#utc && isPlain(text)) {
      const fraction = text.length > 20 ? milliseconds(text, 20) : '';
      return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`;
    }
    return this.#parse(text);
  }

  #parse(text: string): string | null {
    const match = TIME.exec(text);
    const month = Number(match?.[2]);
    const day = Number(match?.[3]);
    if (match === null || month < 1 || month > 12 || day < 1 || day > 31) {
      this.#unreadable ??= text;
      this.invalid++;
      return null;
    }
    const [, digits, , , hour = '0', minute = '0', second = '0', fraction = '', sign, offsetHour = '0'] = match;
    const [, , , , , , , , , , offsetMinute = '0', offsetSecond = '0', bc] = match;
    const year = bc === undefined ? Number(digits) : 1 - Number(digits);
    const epochDay = epochDayOf(year, month, day);
    const secondOfDay = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
    let offset: number;
    if (sign !== undefined) {
      offset = Number(offsetHour) * 3600 + Number(offsetMinute) * 60 + Number(offsetSecond);
      if (sign === '-') offset = -offset;
    } else if (text.endsWith('Z')) offset = 0;
    // Of two equal local times, Java's calendar and JDBC drivers use the later one.
    else offset = this.#zone.offsetAt(year, epochDay, secondOfDay, true);
    const seconds = epochDay * SECONDS_PER_DAY + secondOfDay - offset;
    const utcDay = Math.floor(seconds / SECONDS_PER_DAY);
    const nanos = Number(fraction.slice(0, 3).padEnd(3, '0')) * 1_000_000;
    return formatUtc(utcDay, seconds - utcDay * SECONDS_PER_DAY, nanos);
  }
}

/** Returns whether a text has the most frequent form: `2024-01-02 03:04:05[.678901]`, optionally with `+00`. */
function isPlain(text: string): boolean {
  const { length } = text;
  if (length < 19 || text.charCodeAt(10) !== 32 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return false;
  // MySQL's zero dates have the year 0, the month 0 or the day 0.
  if (text.startsWith('0000') || text.startsWith('00', 5) || text.startsWith('00', 8)) return false;
  if (length === 19) return true;
  if (text.endsWith('+00')) return length === 22 || text.charCodeAt(19) === 46;
  return text.charCodeAt(19) === 46 && !/[^0-9]/.test(text.slice(20));
}

/** Returns the fraction from an offset on, such as `.678`, or an empty text if its digits are zeros. */
function milliseconds(text: string, from: number): string {
  let end = from;
  while (end < from + 3 && end < text.length && isDigit(text.charCodeAt(end))) end++;
  const digits = text.slice(from, end).padEnd(3, '0');
  return digits === '000' ? '' : `.${digits}`;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Returns the instant of a `Date` in milliseconds. */
export function instantOfDate(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}
