import { clamp, isLong, parseLong, saturate } from '../tree/number.ts';
import { parseDouble } from './coerce.ts';

/** The nanoseconds of each unit of durations, by plural and short name. */
const nanosPerUnit = new Map<string, bigint>();
for (const [names, nanos] of [
  [['ns', 'nanos', 'nanoseconds'], 1n],
  [['us', 'micros', 'microseconds'], 1_000n],
  [['', 'ms', 'millis', 'milliseconds'], 1_000_000n],
  [['s', 'seconds'], 1_000_000_000n],
  [['m', 'minutes'], 60_000_000_000n],
  [['h', 'hours'], 3_600_000_000_000n],
  [['d', 'days'], 86_400_000_000_000n],
] as const) {
  for (const name of names) nanosPerUnit.set(name, nanos);
}

/** The bytes of each unit of sizes. A single letter is a power of 1024. Units such as `kB` are powers of 1000. */
const bytesPerUnit = new Map<string, bigint>();
for (const name of ['', 'b', 'B', 'byte', 'bytes']) bytesPerUnit.set(name, 1n);
const prefixes = [
  ['kilo', 'kibi'],
  ['mega', 'mebi'],
  ['giga', 'gibi'],
  ['tera', 'tebi'],
  ['peta', 'pebi'],
  ['exa', 'exbi'],
  ['zetta', 'zebi'],
  ['yotta', 'yobi'],
] as const;
prefixes.forEach(([decimal, binary], i) => {
  const letter = decimal.charAt(0);
  const upper = letter.toUpperCase();
  const thousand = 1000n ** BigInt(i + 1);
  const power = 1024n ** BigInt(i + 1);
  for (const name of [`${decimal}byte`, `${decimal}bytes`, `${i === 0 ? letter : upper}B`])
    bytesPerUnit.set(name, thousand);
  for (const name of [`${binary}byte`, `${binary}bytes`, letter, upper, `${upper}i`, `${upper}iB`]) {
    bytesPerUnit.set(name, power);
  }
});

/** The error for an invalid duration or size. Its message describes the mistake. */
export class UnitError extends Error {}

/**
 * Parses a duration and returns nanoseconds, limited to 64 bits. Without a unit, it is in milliseconds.
 * @throws UnitError for an invalid duration
 */
export function parseDuration(text: string): bigint {
  const { number, unit } = split(text, 'duration');
  const nanos = nanosPerUnit.get(plural(unit));
  if (nanos === undefined) {
    throw new UnitError(`"${unit}" is not a unit of time; use ns, us, ms, s, m, h, d or their names, such as minutes`);
  }
  if (/^[+-]?\d+$/.test(number)) {
    const count = parseLong(number);
    if (count !== undefined) return clamp(count * nanos);
  } else {
    const count = parseDouble(number);
    if (count !== undefined && Number.isFinite(count)) return saturate(count * Number(nanos));
  }
  throw new UnitError(`"${number}" is not a number`);
}

/** A calendar period. Its length depends on its start. Each part may be negative. */
export interface Period {
  years: number;
  months: number;
  days: number;
}

/** The period of each calendar unit, by plural and short name. */
const periodPerUnit = new Map<string, Period>();
for (const [names, unit] of [
  [['', 'd', 'days'], { years: 0, months: 0, days: 1 }],
  [['w', 'weeks'], { years: 0, months: 0, days: 7 }],
  [['m', 'mo', 'months'], { years: 0, months: 1, days: 0 }],
  [['y', 'years'], { years: 1, months: 0, days: 0 }],
] as const) {
  for (const name of names) periodPerUnit.set(name, unit);
}

/**
 * Parses a calendar period. Without a unit, it is in days.
 * @throws UnitError for an invalid period
 */
export function parsePeriod(text: string): Period {
  const { number, unit } = split(text, 'period');
  const one = periodPerUnit.get(plural(unit));
  if (one === undefined) {
    throw new UnitError(`"${unit}" is not a calendar unit; use d, w, m, y or their names, such as weeks`);
  }
  const count = Number(parseLong(number) ?? Number.NaN);
  const period = { years: one.years * count + 0, months: one.months * count + 0, days: one.days * count + 0 };
  if (Object.values(period).every(isInt)) return period;
  throw new UnitError(`"${number}" is not a whole number of 32 bits`);
}

function isInt(count: number): boolean {
  return Number.isInteger(count) && Math.abs(count + 0.5) < 2 ** 31;
}

/** Returns the plural of a unit. A longer name in the singular means its plural. */
function plural(unit: string): string {
  return unit.length > 2 && !unit.endsWith('s') ? `${unit}s` : unit;
}

/**
 * Parses a size and returns bytes. Without a unit, it is in bytes.
 * @throws UnitError for an invalid size
 */
export function parseBytes(text: string): bigint {
  const { number, unit } = split(text, 'size');
  const bytes = bytesPerUnit.get(unit);
  if (bytes === undefined)
    throw new UnitError(`"${unit}" is not a unit of size; use B, k, kB, KiB, m, MB, MiB and so on`);
  const size = times(number, bytes);
  if (size === undefined) throw new UnitError(`"${number}" is not a number`);
  if (size < 0n) throw new UnitError('a size cannot be negative');
  if (!isLong(size)) throw new UnitError('the size is larger than 64 bits');
  return size;
}

/** Multiplies a decimal number by an integer exactly. Returns the product cut to an integer. */
function times(number: string, factor: bigint): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(number);
  if (match === null || !(match[2] || match[3])) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = Number(exponent) - fraction.length;
  // With a larger exponent, a size is out of 64 bits, or zero, for any digits.
  if (Math.abs(scale) > 1_000) return scale > 0 ? 1n << 64n : 0n;
  const digits = BigInt(whole + fraction) * factor;
  const size = scale >= 0 ? digits * 10n ** BigInt(scale) : digits / 10n ** BigInt(-scale);
  return sign === '-' ? -size : size;
}

/** Splits a text into a number and the letters at its end. */
function split(text: string, what: string): { number: string; unit: string } {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (end > 0 && /\p{L}/u.test(trimmed.charAt(end - 1))) end--;
  const unit = trimmed.slice(end);
  const number = trimmed.slice(0, end).trim();
  if (number === '') throw new UnitError(`there is no number in this ${what}`);
  return { number, unit };
}
