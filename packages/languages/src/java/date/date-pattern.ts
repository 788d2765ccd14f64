import { carryDay, civilOf } from './calendar.ts';
import { compileElements, type NameForms } from './compile-pattern.ts';
import { DateFields, Field } from './date-fields.ts';
import { type DateZone, MAX_OFFSET_SECONDS, UTC } from './date-zone.ts';
import { formatUtc } from './instant-text.ts';
import { weekRule } from './locale-names.ts';
import { matchElements } from './match-pattern.ts';
import { INVALID, MISSING, resolveDate, resolveTime } from './resolve-fields.ts';

/** The error for a text that matches a pattern without a full date and time. */
export class PartialDateError extends Error {
  override readonly name = 'PartialDateError';
  readonly pattern: string;

  constructor(pattern: string, text: string) {
    super(
      `The date pattern "${pattern}" matches "${text}", but gives no full date. It needs year, month and day (or year ` +
        'and day of the year, or week-based year, week and weekday), and minutes and seconds before a fraction.',
    );
    this.pattern = pattern;
  }
}

/** A compiled pattern in the language of Java's DateTimeFormatter. */
export interface DatePattern {
  readonly pattern: string;
  /**
   * Returns the instant at the beginning of `text`, in ISO form, or undefined if it does not match. Text after the
   * match is ignored.
   * @param zone the zone of a text without an offset or a zone; UTC if absent
   * @throws PartialDateError if the text matches, but the pattern has no full date
   */
  parse(text: string, zone?: DateZone): string | undefined;
}

/**
 * Compiles a date pattern: Java's letters, quoted literals, `[optional]` sections and padding, with Java's smart
 * resolution. The letter `B` is refused. A text without an hour means midnight.
 * @param locale BCP 47 tag of the language of month, weekday, era and AM/PM names and of the region's weeks. Names of
 * zones are English in every locale.
 * @param forms which forms of the names of months and days are read
 * @throws DatePatternError with the position in the pattern
 */
export function compileDatePattern(pattern: string, locale = 'en-US', forms: NameForms = 'exact'): DatePattern {
  const elements = compileElements(pattern, locale, forms);
  const rule = weekRule(locale);
  const fields = new DateFields();

  function parse(text: string, zone: DateZone = UTC): string | undefined {
    fields.clear();
    if (matchElements(elements, text, 0, fields) < 0) return undefined;
    const date = resolveDate(fields, rule);
    if (date === INVALID) return undefined;
    const time = resolveTime(fields);
    if (time === INVALID) return undefined;
    if (date === MISSING || time === MISSING) throw new PartialDateError(pattern, text);
    const offset = offsetOf(fields, zone, date, time);
    if (offset > MAX_OFFSET_SECONDS || offset < -MAX_OFFSET_SECONDS) return undefined;
    const { epochDay, secondOfDay } = carryDay(date, time - offset);
    return formatUtc(epochDay, secondOfDay, fields.has(Field.nano) ? fields.get(Field.nano) : 0);
  }

  return { pattern, parse };
}

/** Returns the offset of a text: from the offset in the text, else from its zone, else from the given zone. */
function offsetOf(fields: DateFields, zone: DateZone, date: number, time: number): number {
  if (fields.has(Field.offset)) return fields.get(Field.offset);
  const named = fields.zone ?? zone;
  const { epochDay, secondOfDay } = carryDay(date, time);
  const year = epochDay === date && fields.has(Field.year) ? fields.get(Field.year) : civilOf(epochDay).year;
  return named.offsetAt(year, epochDay, secondOfDay, fields.later);
}
