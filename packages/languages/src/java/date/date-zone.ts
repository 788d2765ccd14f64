/// <reference lib="esnext.temporal" />
import { epochDayOf } from './calendar.ts';

/** The time zone of texts without an offset. */
export interface DateZone {
  readonly id: string;
  /**
   * Returns the offset from UTC in seconds that converts a local time to its instant (instant = local time - offset). A
   * time in a gap moves forward by the length of the gap. Of an ambiguous time the earlier instant is used, unless
   * `later`.
   */
  offsetAt(year: number, epochDay: number, secondOfDay: number, later: boolean): number;
  /** Returns the offset from UTC in seconds at an instant. The year, day and second are in UTC. */
  offsetOf(year: number, epochDay: number, secondOfDay: number): number;
}

/** The error for an unknown zone id. */
export class DateZoneError extends Error {
  override readonly name = 'DateZoneError';
  readonly id: string;

  constructor(id: string) {
    super(
      `Unknown time-zone ID: ${id === '' ? '(empty)' : id}. Use a region such as "Europe/Paris" (in this spelling), ` +
        '"UTC", or an offset such as "+02:00".',
    );
    this.id = id;
  }
}

/** Returns a zone with a constant offset. */
export function fixedZone(id: string, offsetSeconds: number): DateZone {
  return { id, offsetAt: () => offsetSeconds, offsetOf: () => offsetSeconds };
}

export const UTC: DateZone = fixedZone('UTC', 0);

/** The maximum offset in seconds, as in Java. */
export const MAX_OFFSET_SECONDS = 18 * 3600;

const resolved = new Map<string, DateZone>();

/**
 * Returns the zone of an id. Valid ids are regions of the tz database (case-sensitive), `Z`, bare offsets (`+2`, `+02`,
 * `+0200`, `+02:00`, also with seconds), and `UTC`, `GMT` or `UT` with or without an offset. Abbreviations such as
 * `EST` are rejected.
 *
 * @throws DateZoneError
 */
export function resolveZone(id: string): DateZone {
  const known = resolved.get(id);
  if (known !== undefined) return known;
  const zone = fixedZoneOf(id) ?? regionZoneOf(id);
  if (zone === undefined) throw new DateZoneError(id);
  resolved.set(id, zone);
  return zone;
}

/** Returns the region of exactly this id, or undefined. */
export function findRegion(id: string): DateZone | undefined {
  const known = resolved.get(id);
  if (known !== undefined) return known;
  const zone = regionZoneOf(id);
  if (zone !== undefined) resolved.set(id, zone);
  return zone;
}

function fixedZoneOf(id: string): DateZone | undefined {
  if (id === 'Z') return UTC;
  const match = /^(?:UTC|GMT|UT)?(?:([+-])(\d{1,2})(?:(\d\d)(\d\d)?|:(\d\d)(?::(\d\d))?)?)?$/.exec(id);
  if (match === null || id === '') return undefined;
  const [, sign, hours, minutes, seconds, minutesAfterColon, secondsAfterColon] = match;
  if (sign === undefined || hours === undefined) return fixedZone(id, 0);
  const m = Number(minutes ?? minutesAfterColon ?? 0);
  const s = Number(seconds ?? secondsAfterColon ?? 0);
  // An offset with a one-digit hour has no minutes: `+2` is valid, `+230` is not.
  if (hours.length === 1 && (minutes ?? minutesAfterColon) !== undefined) return undefined;
  const total = Number(hours) * 3600 + m * 60 + s;
  if (m > 59 || s > 59 || total > MAX_OFFSET_SECONDS) return undefined;
  return fixedZone(id, sign === '-' ? -total : total);
}

// Fixed abbreviations. The tz database has them as links, but Java does not accept them as regions.
const ABBREVIATIONS: ReadonlySet<string> = new Set(['EST', 'MST', 'HST']);

function regionZoneOf(id: string): DateZone | undefined {
  if (!/^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id) || ABBREVIATIONS.has(id)) return undefined;
  let start: Temporal.ZonedDateTime;
  try {
    start = new Temporal.ZonedDateTime(0n, id);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  // Temporal ignores case and returns the spelling of the database.
  return start.timeZoneId === id ? new RegionZone(id) : undefined;
}

interface Transition {
  /** The second at which the new offset starts. */
  readonly at: number;
  /** The local second (as if UTC) at which the new offset starts, for the earlier and later instant of an overlap. */
  readonly earlier: number;
  readonly later: number;
  readonly offset: number;
}

interface YearRules {
  readonly offset: number;
  readonly transitions: readonly Transition[];
}

// Before the first year, local mean time applies everywhere. After the last year, only yearly rules apply. They repeat
// every 400 years, as the calendar does.
const FIRST_YEAR = 1700;
const LAST_YEAR = 2800;
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;

class RegionZone implements DateZone {
  readonly id: string;
  readonly #years = new Map<number, YearRules>();

  constructor(id: string) {
    this.id = id;
  }

  offsetAt(year: number, epochDay: number, secondOfDay: number, later: boolean): number {
    return this.#offset(year, epochDay, secondOfDay, later ? 'later' : 'earlier');
  }

  offsetOf(year: number, epochDay: number, secondOfDay: number): number {
    return this.#offset(year, epochDay, secondOfDay, 'at');
  }

  #offset(year: number, epochDay: number, secondOfDay: number, from: 'at' | 'earlier' | 'later'): number {
    if (year < FIRST_YEAR) return this.#rulesOf(FIRST_YEAR).offset;
    let ruleYear = year;
    let day = epochDay;
    if (year >= LAST_YEAR) {
      const cycles = Math.floor((year - LAST_YEAR) / CYCLE_YEARS) + 1;
      ruleYear = year - cycles * CYCLE_YEARS;
      day = epochDay - cycles * CYCLE_DAYS;
    }
    const rules = this.#rulesOf(ruleYear);
    let offset = rules.offset;
    if (rules.transitions.length === 0) return offset;
    const second = day * 86_400 + secondOfDay;
    for (const transition of rules.transitions) {
      if (second < transition[from]) break;
      offset = transition.offset;
    }
    return offset;
  }

  #rulesOf(year: number): YearRules {
    let rules = this.#years.get(year);
    if (rules === undefined) {
      rules = readYear(this.id, year);
      this.#years.set(year, rules);
    }
    return rules;
  }
}

const NANOS_PER_DAY = 86_400_000_000_000n;

/** Returns the offset at the beginning of a local year, and the offset changes of the year. */
function readYear(id: string, year: number): YearRules {
  const from = BigInt(epochDayOf(year, 1, 1) - 2) * NANOS_PER_DAY;
  const to = BigInt(epochDayOf(year + 1, 1, 1) + 2) * NANOS_PER_DAY;
  const start = new Temporal.ZonedDateTime(from, id);
  const first = offsetSeconds(start);
  const transitions: Transition[] = [];
  let before = first;
  let next = start.getTimeZoneTransition('next');
  while (next !== null && next.epochNanoseconds < to) {
    const after = offsetSeconds(next);
    const at = Math.floor(next.epochMilliseconds / 1000);
    // In a gap, when clocks are moved forward, the local times do not exist. Both interpretations then change at the
    // end of the gap.
    transitions.push({
      at,
      earlier: at + Math.max(before, after),
      later: at + after,
      offset: after,
    });
    before = after;
    next = next.getTimeZoneTransition('next');
  }
  return { offset: first, transitions };
}

function offsetSeconds(time: Temporal.ZonedDateTime): number {
  return Math.round(time.offsetNanoseconds / 1e9);
}

// No zone id is longer. The limit prevents a search through a long hostile text.
const REGION_TOKEN = /[A-Za-z][A-Za-z0-9~/._+-]{0,49}/y;
const MAX_TOKENS = 2000;
const tokens = new Map<string, DateZone | null>();

/** Returns the longest region id at `position` in `text`. */
export function matchRegion(text: string, position: number): { zone: DateZone; end: number } | undefined {
  REGION_TOKEN.lastIndex = position;
  const token = REGION_TOKEN.exec(text)?.[0];
  if (token === undefined) return undefined;
  const known = tokens.get(token);
  if (known !== undefined) return known === null ? undefined : { zone: known, end: position + known.id.length };
  let zone: DateZone | undefined;
  for (let length = token.length; length >= 2 && zone === undefined; length--)
    zone = findRegion(token.slice(0, length));
  if (tokens.size >= MAX_TOKENS) tokens.clear();
  tokens.set(token, zone ?? null);
  return zone === undefined ? undefined : { zone, end: position + zone.id.length };
}
