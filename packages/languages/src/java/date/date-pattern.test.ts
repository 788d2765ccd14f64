import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDatePattern, DatePatternError, formatInstant, PartialDateError, resolveZone } from './index.ts';

/** A case recorded from java.time of Java 25. The result is null for no match, `!` for a match without a full date. */
interface JavaCase {
  readonly pattern: string;
  readonly zone?: string;
  readonly locale?: string;
  readonly error?: true;
  readonly cases?: readonly (readonly [text: string, instant: string | null])[];
}

const javaCases = JSON.parse(
  readFileSync(new URL('./java-cases.generated.json', import.meta.url), 'utf8'),
) as readonly JavaCase[];

function outcome(pattern: string, text: string, zone = 'UTC', locale = 'en-US'): string | null {
  try {
    return compileDatePattern(pattern, locale).parse(text, resolveZone(zone)) ?? null;
  } catch (error) {
    if (error instanceof PartialDateError) return '!';
    throw error;
  }
}

describe('date patterns as recorded from Java', () => {
  it.each(javaCases)('$pattern $locale', ({ pattern, zone, locale, error, cases = [] }) => {
    if (error) {
      expect(() => compileDatePattern(pattern)).toThrow(DatePatternError);
      return;
    }
    const got = cases.map(([text]) => [text, outcome(pattern, text, zone, locale)]);
    expect(got).toEqual(cases);
  });
});

describe('date patterns', () => {
  it.each([
    ['yyyy-MM-dd h:mm a', '2024-01-15 1:30 PM', '2024-01-15T13:30:00Z'],
    ['yyyy-MM-dd h:mm a', '2024-01-15 12:30 AM', '2024-01-15T00:30:00Z'],
    ['yyyy-MM-dd[ h:mm a]', '2024-01-15', '2024-01-15T00:00:00Z'],
    ['yyyy-MM-dd K:mm a', '2024-01-15 0:30 PM', '2024-01-15T12:30:00Z'],
    ['yyyy-MM-dd kk:mm', '2024-01-15 24:30', '2024-01-15T00:30:00Z'],
  ])('reads the hours of %s', (pattern, text, instant) => {
    expect(outcome(pattern, text)).toBe(instant);
  });

  it.each([
    ['2021-02-30 00:00', '2021-02-28T00:00:00Z'],
    ['2021-02-32 00:00', null],
    ['2021-12-31 24:00', '2022-01-01T00:00:00Z'],
    ['2021-12-31 24:01', null],
    ['2021-13-01 00:00', null],
  ])('resolves %s smartly', (text, instant) => {
    expect(outcome('yyyy-MM-dd HH:mm', text)).toBe(instant);
  });

  it('uses the earlier instant of an ambiguous time, unless the zone name means standard time', () => {
    expect(outcome('yyyy-MM-dd HH:mm', '2024-11-03 01:30', 'America/New_York')).toBe('2024-11-03T05:30:00Z');
    expect(outcome('yyyy-MM-dd HH:mm z', '2024-11-03 01:30 EDT')).toBe('2024-11-03T05:30:00Z');
    expect(outcome('yyyy-MM-dd HH:mm z', '2024-11-03 01:30 EST')).toBe('2024-11-03T06:30:00Z');
    expect(outcome('yyyy-MM-dd HH:mm zzzz', '2024-11-03 01:30 Eastern Standard Time')).toBe('2024-11-03T06:30:00Z');
  });

  it.each([
    ['2024-07-15 10:20 BST', '2024-07-15T09:20:00Z'],
    ['2024-07-15 10:20 IST', '2024-07-15T04:50:00Z'],
    ['2024-07-15 10:20 GMT+3', '2024-07-15T07:20:00Z'],
    ['2024-07-15 10:20 UTC-0330', '2024-07-15T13:50:00Z'],
    ['2024-07-15 10:20 GMT-03:0024', '2024-07-15T13:20:00Z'],
    ['2024-07-15 10:20 EST5EDT', '2024-07-15T14:20:00Z'],
    ['2024-07-15 10:20 XYZ', null],
  ])('reads the zone of %s', (text, instant) => {
    expect(outcome('yyyy-MM-dd HH:mm z', text)).toBe(instant);
  });

  it.each([
    ['Chatham Standard Time', '2024-07-14T21:35:00Z'],
    ['Lord Howe Daylight Time', '2024-07-14T23:50:00Z'],
    ['Istanbul Standard Time', '2024-07-15T07:20:00Z'],
    ['Nowhere Standard Time', null],
  ])('reads the long name %s', (name, instant) => {
    expect(outcome('yyyy-MM-dd HH:mm zzzz', `2024-07-15 10:20 ${name}`)).toBe(instant);
  });

  it('rejects an invalid offset, even in an optional section', () => {
    expect(outcome('yyyy-MM-dd HH:mm[X]', '2024-07-15 10:20+31')).toBeNull();
    expect(outcome('yyyy-MM-dd HH:mm[X]', '2024-07-15 10:20+18')).toBe('2024-07-14T16:20:00Z');
  });

  it('undoes an optional section that failed', () => {
    expect(outcome('yyyy-MM-dd[ HH:mm z]', '2024-07-15 10:20 nowhere')).toBe('2024-07-15T00:00:00Z');
  });

  it('reports the position of an error in a pattern', () => {
    expect(() => compileDatePattern('yyyy-bb')).toThrow(/letter b .*position 6 .*"yyyy-bb"/);
    expect(() => compileDatePattern("yyyy 'T")).toThrow(/not closed, at position 6/);
    expect(() => compileDatePattern('B')).toThrow(/letter B/);
  });

  it('reports the missing fields of a matching pattern', () => {
    expect(() => compileDatePattern('yyyy-MM').parse('2024-05')).toThrow(/"yyyy-MM" matches "2024-05"/);
  });

  it('reads back every instant that it writes', () => {
    const pattern = compileDatePattern("uuuu-MM-dd'T'HH:mm:ss[.SSSSSSSSS][.SSSSSS][.SSS]X");
    fc.assert(
      fc.property(
        // Java's years end at 999,999,999.
        fc.bigInt({ min: -31_556_000_000_000_000n, max: 31_556_000_000_000_000n }),
        fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })),
        (seconds, nanos) => {
          const text = formatInstant(seconds, nanos);
          expect(pattern.parse(text)).toBe(text);
        },
      ),
    );
  });

  it('never throws for any text', () => {
    const pattern = compileDatePattern("yyyy-MM-dd['T'HH:mm[:ss][z][XXX]]");
    fc.assert(fc.property(fc.string(), (text) => pattern.parse(`2024-01-02T03:04${text}`) !== undefined));
  });
});

describe('formatInstant', () => {
  it.each([
    [0, 0, '1970-01-01T00:00:00Z'],
    [-1, 999_000_000, '1969-12-31T23:59:59.999Z'],
    [1n, 1000, '1970-01-01T00:00:01.000001Z'],
    [1, 1, '1970-01-01T00:00:01.000000001Z'],
    [253_402_300_800, 0, '+10000-01-01T00:00:00Z'],
    [-62_167_219_201, 0, '-0001-12-31T23:59:59Z'],
    [-31_557_014_167_219_200n, 0, '-1000000000-01-01T00:00:00Z'],
    [31_556_889_864_403_199n, 999_999_999, '+1000000000-12-31T23:59:59.999999999Z'],
  ])('writes %d s and %d ns', (seconds, nanos, text) => {
    expect(formatInstant(seconds, nanos)).toBe(text);
  });

  it('equals the output of Date', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        const seconds = Math.floor(date.getTime() / 1000);
        const text = formatInstant(seconds, (date.getTime() - seconds * 1000) * 1_000_000);
        expect(new Date(text)).toEqual(date);
      }),
    );
  });
});

describe('lenient names', () => {
  const read = (pattern: string, text: string, locale: string) =>
    compileDatePattern(pattern, locale, 'lenient').parse(text);

  it.each([
    ['fr', 'd MMM yyyy', '12 févr. 2024', '2024-02-12T00:00:00Z'],
    ['fr', 'd MMM yyyy', '12 févr 2024', '2024-02-12T00:00:00Z'],
    ['fr', 'd MMM yyyy', '12 Février 2024', '2024-02-12T00:00:00Z'],
    ['fr', 'd MMM yyyy', '3 mai 2024', '2024-05-03T00:00:00Z'],
    ['fr', 'd MMM yyyy', '3 juil. 2024', '2024-07-03T00:00:00Z'],
    ['fr', 'EEEE d MMMM yyyy', 'lundi 12 février 2024', '2024-02-12T00:00:00Z'],
    ['de', 'd. MMMM yyyy', '3. März 2024', '2024-03-03T00:00:00Z'],
    ['de', 'd. MMM yyyy', '3. Mär 2024', '2024-03-03T00:00:00Z'],
    ['de', 'd. MMM yyyy', '3. Mär. 2024', '2024-03-03T00:00:00Z'],
    ['de', 'd. MMM yyyy', '3. Dez 2024', '2024-12-03T00:00:00Z'],
    ['de', 'd. MMM. yyyy', '3. Dez. 2024', '2024-12-03T00:00:00Z'],
    ['de', 'd.MMM.yyyy', '03.Dez.2024', '2024-12-03T00:00:00Z'],
    ['de', 'E, d. MMMM yyyy', 'Mi., 14. Februar 2024', '2024-02-14T00:00:00Z'],
    ['es', "d 'de' MMMM 'de' yyyy", '5 de enero de 2024', '2024-01-05T00:00:00Z'],
    ['es', 'd-MMM-yyyy', '05-ENE-2024', '2024-01-05T00:00:00Z'],
    ['it', 'd MMMM yyyy', '1 Gennaio 2024', '2024-01-01T00:00:00Z'],
    ['ru', "d MMMM yyyy 'г.'", '9 мая 2024 г.', '2024-05-09T00:00:00Z'],
    ['tr', 'd MMMM yyyy', '23 NİSAN 2024', '2024-04-23T00:00:00Z'],
    ['ja', 'yyyy年MMMd日', '2024年2月12日', '2024-02-12T00:00:00Z'],
    ['en', 'd MMM yyyy', '5 SEPT 2024', '2024-09-05T00:00:00Z'],
  ])('in %s read with %s the text %s', (locale, pattern, text, instant) => {
    expect(read(pattern, text, locale)).toBe(instant);
  });

  it.each([
    ['fr', '3 jui 2024'],
    ['fr', '3 maison 2024'],
    ['de', '12 févr. 2024'],
  ])('in %s do not read %s', (locale, text) => {
    expect(read('d MMM yyyy', text, locale)).toBeUndefined();
  });
});
