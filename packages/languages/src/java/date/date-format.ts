import { carryDay, civilOf } from './calendar.ts';
import { compileElements, DatePatternError } from './compile-pattern.ts';
import { type DateZone, UTC } from './date-zone.ts';
import { weekRule } from './locale-names.ts';
import { type Element, Kind } from './pattern-element.ts';
import type { Instant } from './read-instant.ts';
import { writeElements } from './write-pattern.ts';

/** A compiled pattern in the language of Java's DateTimeFormatter, for writing. */
export interface DateFormat {
  /**
   * Returns the text of an instant. Throws if a value does not fit into its letters, such as a year of five digits in
   * `pppy`.
   * @param zone the time zone of the text; UTC if absent
   */
  format(instant: Instant, zone?: DateZone): string;
}

/**
 * Compiles a date pattern for writing, with the letters that `compileDatePattern` reads, except `z` and `v` (the names
 * of zones).
 *
 * @param locale BCP 47 tag of the language of month, weekday, era and AM/PM names and of the region's weeks
 * @throws DatePatternError naming the place in the pattern
 */
export function compileDateFormat(pattern: string, locale = 'en-US'): DateFormat {
  const elements = compileElements(pattern, locale);
  if (elements.some(namesZone)) {
    // A quoted text may also contain the letter.
    const at = pattern.replace(/'[^']*'/g, (quoted) => '_'.repeat(quoted.length)).search(/[zv]/);
    throw new DatePatternError(pattern, at, 'Names of zones (letters z and v) are not written, use XXX or VV');
  }
  const rule = weekRule(locale);
  return {
    format({ epochDay, secondOfDay, nanos }, zone = UTC) {
      const offset = zone.offsetOf(civilOf(epochDay).year, epochDay, secondOfDay);
      const local = carryDay(epochDay, secondOfDay + offset);
      return writeElements(elements, { ...local, nanos, offset, zoneId: zone.id }, rule);
    },
  };
}

function namesZone({ kind, inner }: Element): boolean {
  return kind === Kind.zoneName || inner.some(namesZone);
}
