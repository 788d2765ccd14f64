/**
 * The first letters of the names of months, without accents, in English, German, French, Spanish, Italian, Portuguese and
 * Dutch. `juin` and `juillet` need four letters.
 */
const MONTHS: readonly RegExp[] = [
  /^(?:jan|ene|gen)/,
  /^(?:feb|fev)/,
  /^(?:mar|maa|mrz|mrt|maerz)/,
  /^(?:apr|avr|abr)/,
  /^(?:may|mai|mag|mei)/,
  /^(?:jun|juin|giu)/,
  /^(?:jul|juil|lug)/,
  /^(?:aug|aou|ago)/,
  /^(?:sep|set)/,
  /^(?:oct|okt|ott|out)/,
  /^nov/,
  /^(?:dec|dez|dic)/,
];

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
  MEZ: 60,
  MESZ: 120,
  BST: 60,
  MSK: 180,
  HKT: 480,
  SGT: 480,
  AWST: 480,
  JST: 540,
  KST: 540,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  AKST: -540,
  AKDT: -480,
  HST: -600,
};

/** No date is longer. */
const MAX_LENGTH = 100;
const TIME = String.raw`(?:,?\s+(?:at\s+|um\s+)?(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([ap]m\b)?)?`;
const ZONE = String.raw`\s*([a-z]+|(?:gmt|utc)?[+-]\d{1,2}(?::?\d\d)?)?(?:\s*\(.*\))?`;
const WEEKDAY = String.raw`(?:\p{L}+\.?\s*,?\s+)?`;

/**
 * A date of RFC 822 and its successors: `Mon, 06 Feb 2023 10:00:00 GMT`. The day of the week and seconds are optional.
 * Also `6. Februar 2023` and `6 de febrero de 2023`.
 */
const MAIL_DATE = new RegExp(
  String.raw`^${WEEKDAY}(\d{1,2})\.?[\s-]+(?:de\s+)?(\p{L}{3,})\.?[\s-]+(?:de\s+)?(\d{4}|\d{2})${TIME}${ZONE}$`,
  'iu',
);
/** A date with the month first: `February 6, 2023 10:00 AM`. */
const US_DATE = new RegExp(
  String.raw`^${WEEKDAY}(\p{L}{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${TIME}${ZONE}$`,
  'iu',
);
/** A date with full stops, which has the day first: `06.02.2023 10:00`. */
const DOT_DATE = new RegExp(String.raw`^${WEEKDAY}(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})${TIME}${ZONE}$`, 'iu');
/** The basic form of ISO 8601: `20230206T100000Z`. */
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})?)?$/i;
/** Seconds or milliseconds since 1970. */
const EPOCH = /^(\d{10})(\d{3})?$/;
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
  if (trimmed.length > MAX_LENGTH) return undefined;
  const mail = MAIL_DATE.exec(trimmed);
  if (mail !== null) {
    const [, day, month = '', year = '', ...time] = mail;
    return named(day, month, year, time);
  }
  const us = US_DATE.exec(trimmed);
  if (us !== null) {
    const [, month = '', day, year = '', ...time] = us;
    return named(day, month, year, time);
  }
  const dots = DOT_DATE.exec(trimmed);
  if (dots !== null) {
    const [, day, month, year, ...time] = dots;
    return withTime(Number(year), Number(month) - 1, day, time);
  }
  const basic = BASIC_DATE.exec(trimmed);
  if (basic !== null) {
    const [, year, month, day, hour, minute, second, zone] = basic;
    return instant([Number(year), Number(month) - 1, day, hour, minute, second, undefined], zone);
  }
  const epoch = EPOCH.exec(trimmed);
  if (epoch !== null) return new Date(Number(epoch[1]) * 1000 + Number(epoch[2] ?? 0));
  const iso = ISO_DATE.exec(trimmed);
  if (iso === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = iso;
  return instant([Number(year), Number(month) - 1, day ?? '1', hour, minute, second, fraction], zone);
}

/** The hour, minute and second, `am` or `pm`, and the zone. */
type Time = readonly (string | undefined)[];

function named(day: string | undefined, month: string, year: string, time: Time): Date | undefined {
  const name = month.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  const number = MONTHS.findIndex((pattern) => pattern.test(name));
  const full = year.length === 2 ? Number(year) + (Number(year) < 50 ? 2000 : 1900) : Number(year);
  return number < 0 ? undefined : withTime(full, number, day, time);
}

function withTime(year: number, month: number, day: string | undefined, time: Time): Date | undefined {
  const [hour, minute, second, half, zone] = time;
  const hours = Number(hour);
  if (half !== undefined && (hours < 1 || hours > 12)) return undefined;
  const full = half === undefined ? hour : String((hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0));
  return instant([year, month, day, full, minute, second, undefined], zone);
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
  const [, sign, hours, minutes = 0] = /^(?:gmt|utc)?([+-])(\d{1,2}?):?(\d\d)?$/i.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const name = zone.toUpperCase();
  // The other letters of RFC 822 were defined in the wrong direction, so they mean UTC (RFC 5322, section 4.3).
  if (/^[A-IK-Z]$/.test(name)) return 0;
  return Object.hasOwn(ZONES, name) ? ZONES[name] : undefined;
}
