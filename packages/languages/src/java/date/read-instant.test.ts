/// <reference lib="esnext.temporal" />
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resolveZone, UTC } from './date-zone.ts';
import { readInstant } from './read-instant.ts';

/** Returns the nanoseconds since 1970 that Temporal reads, or undefined. */
function byTemporal(text: string, zone: string): bigint | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z?)?$/.test(text)) return undefined;
  try {
    if (text.endsWith('Z')) return Temporal.Instant.from(text).epochNanoseconds;
    return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochNanoseconds;
  } catch {
    return undefined;
  }
}

function nanosOf(text: string, zone = UTC): bigint | undefined {
  const instant = readInstant(text, zone);
  if (instant === undefined) return undefined;
  return BigInt(instant.epochDay * 86_400 + instant.secondOfDay) * 1_000_000_000n + BigInt(instant.nanos);
}

const number = (most: number, size: number) => fc.nat(most).map((value) => String(value).padStart(size, '0'));
const date = fc
  .tuple(fc.oneof(number(9999, 4), fc.constantFrom('1900', '2000', '2023', '2024')), number(13, 2), number(32, 2))
  .map((parts) => parts.join('-'));
const time = fc.tuple(number(25, 2), number(61, 2), number(61, 2)).map((parts) => parts.join(':'));
const end = fc.constantFrom('', 'Z', '.5', '.123', '.123Z', '.120456Z', '.12aZ');
const iso = fc.oneof(
  date,
  date.map((day) => `${day}Z`),
  fc.tuple(date, time, end).map(([day, hour, rest]) => `${day}T${hour}${rest}`),
);
/** Dates, some of them with one other character. */
const text = fc
  .tuple(iso, fc.nat(24), fc.option(fc.constantFrom('/', ':', 'x', '٣', '')))
  .map(([all, at, other]) => (other === null ? all : all.slice(0, at) + other + all.slice(at + 1)));

it('reads ISO dates as Temporal does', () => {
  fc.assert(
    fc.property(text, (text) => {
      expect(nanosOf(text)).toBe(byTemporal(text, 'UTC'));
    }),
    { numRuns: 2_000 },
  );
});

it('reads dates of a zone with daylight saving time as Temporal does', () => {
  const zone = resolveZone('Europe/Berlin');
  const modern = fc.tuple(fc.integer({ min: 1980, max: 2037 }), iso).map(([year, rest]) => `${year}${rest.slice(4)}`);
  fc.assert(
    fc.property(modern, (text) => {
      expect(nanosOf(text, zone)).toBe(byTemporal(text, 'Europe/Berlin'));
    }),
    { numRuns: 1_000 },
  );
});
