import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileDateFormat, DatePatternError, type Instant, readInstant, resolveZone } from './index.ts';

/** A case recorded from java.time of Java 17, in the locale en-US. The text is null if Java cannot write the date. */
interface JavaCase {
  readonly pattern: string;
  readonly zone: string;
  readonly cases: readonly (readonly [instant: string, text: string | null])[];
}

const javaCases = JSON.parse(
  readFileSync(new URL('./java-formatted.generated.json', import.meta.url), 'utf8'),
) as readonly JavaCase[];

function written(pattern: string, instant: string, zone = 'UTC', locale = 'en-US'): string | null {
  const format = compileDateFormat(pattern, locale);
  try {
    return format.format(readInstant(instant) as Instant, resolveZone(zone));
  } catch {
    return null;
  }
}

describe('date patterns for writing', () => {
  it.each(javaCases)('write $pattern in $zone as Java does', ({ pattern, zone, cases }) => {
    expect(cases.map(([instant]) => [instant, written(pattern, instant, zone)])).toEqual(cases);
  });

  it('write the names and the weeks of another region', () => {
    expect(written("EEEE d MMMM, 'week' w", '2023-01-01T00:00:00Z', 'UTC', 'de-DE')).toBe('Sonntag 1 Januar, week 52');
    expect(written("EEEE d MMMM, 'week' w", '2023-01-01T00:00:00Z')).toBe('Sunday 1 January, week 1');
  });

  it.each(['z', '[zzzz]', 'v', 'b', '{', "'"])('reject %s', (pattern) => {
    expect(() => compileDateFormat(pattern)).toThrow(DatePatternError);
  });
});
