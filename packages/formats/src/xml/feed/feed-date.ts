const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The offsets from UTC in minutes of the zones of RFC 822, and of other unambiguous zones that feeds use. */
const ZONES: Readonly<Record<string, number>> = {
  GMT: 0,
  UT: 0,
  UTC: 0,
  Z: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  WET: 0,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  JST: 540,
};

/**
 * A date of RFC 822 and its successors: `Mon, 06 Feb 2023 10:00:00 GMT`. The day of the week and seconds are optional.
 */
const MAIL_DATE =
  /^(?:[a-z]+\s*,?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{4}|\d{2})(?:,?\s+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*([a-z]+|[+-]\d\d:?\d\d)?(?:\s*\(.*\))?$/i;
/** A date of RFC 3339, or one of the shorter forms of ISO 8601 that the W3C allows. */
const ISO_DATE =
  /^(\d{4})-(\d\d)(?:-(\d\d))?(?:[T\s]+(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * Returns the instant of an item's date, or undefined if it is not a date. A date without a zone is in UTC. A year of
 * two digits is from 1950 to 2049.
 */
export function feedDate(text: string): Date | undefined {
  // Long runs of blanks are removed first, because the patterns would backtrack on them.
  const trimmed = text.trim().replace(/\s+/g, ' ');
  const mail = MAIL_DATE.exec(trimmed);
  if (mail !== null) {
    const [, day, month = '', year = '', hour, minute, second, zone] = mail;
    const number = MONTHS.indexOf(month.toLowerCase());
    const full = year.length === 2 ? Number(year) + (Number(year) < 50 ? 2000 : 1900) : Number(year);
    return number < 0 ? undefined : instant([full, number, day, hour, minute, second, undefined], zone);
  }
  const iso = ISO_DATE.exec(trimmed);
  if (iso === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = iso;
  return instant([Number(year), Number(month) - 1, day ?? '1', hour, minute, second, fraction], zone);
}

type Parts = [
  year: number,
  month: number,
  day: string | undefined,
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
];

function instant([year, month, ...texts]: Parts, zone: string | undefined): Date | undefined {
  const offset = zone === undefined ? 0 : offsetOf(zone);
  const [day = 1, hour = 0, minute = 0, second = 0] = texts.slice(0, 4).map((text) => Number(text ?? 0));
  if (offset === undefined || hour > 24 || minute > 59 || second > 60) return undefined;
  const millis = Number((texts[4] ?? '').slice(0, 3).padEnd(3, '0'));
  const date = new Date(Date.UTC(year, month, day, 0, 0, 0, millis));
  // JavaScript turns a day that the month does not have into another date.
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  date.setUTCFullYear(year);
  return new Date(date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000);
}

function offsetOf(zone: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return Object.hasOwn(ZONES, zone.toUpperCase()) ? ZONES[zone.toUpperCase()] : undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
