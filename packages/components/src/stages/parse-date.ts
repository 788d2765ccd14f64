import {
  copyValue,
  type Document,
  type DocumentTable,
  mapColumn,
  messageOf,
  nearest,
  OneOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import {
  compileDatePattern,
  DATE_FORMATTERS,
  type DateFormatter,
  type DatePattern,
  type DateZone,
  epochPattern,
  PartialDateError,
  resolveZone,
  unixTimestampFormatter,
} from '@headrace/languages/java/date';
import { isBlank } from '@headrace/languages/java/text';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';

const parameters = Type.Object({
  /** The fields with the dates. */
  source: Type.Array(Type.String()),
  /** The fields for the instants, one for each source, or one for all. A source may be its own destination. */
  dest: Type.Array(Type.String()),
  /**
   * Patterns in the language of Java's DateTimeFormatter, such as yyyy-MM-dd HH:mm:ss. A pattern without a full date
   * matches nothing; one without an hour means midnight. For numbers since 1970: epoch_second, epoch_millis,
   * epoch_micros or epoch_nanos.
   */
  formatStrs: Type.Array(Type.String(), { default: [] }),
  /** More patterns, each with its language. They are tried after formatStrs. */
  formats: Type.Array(
    Type.Object({
      /** A pattern, as in formatStrs. */
      pattern: Type.String(),
      /** The language tag of the names in it. Defaults to the locale of the stage. */
      locale: Type.Optional(Type.String()),
    }),
    { default: [] },
  ),
  /**
   * The language tag of the names of months and days in the patterns, such as "de" or "fr-CA". The names are then read
   * in short and long form, in any letter case, with and without a full stop. By default the names are English, exactly
   * as in the pattern: MMM is Sep, MMMM is September.
   */
  locale: Type.Optional(Type.String()),
  /** Predefined formatters. */
  formatters: Type.Array(
    Type.Object({
      /**
       * The name: DateMonthStrFormatter ("February 2, 2021" within a text), DatePipeFormatter ("2021|2|3" within a
       * text), DateTwoYearsFormatter ("1998-1999" within a text, meaning the start of the first year),
       * DateYearOnlyFormatter (a year alone) or UnixTimestampFormatter (milliseconds since 1970).
       */
      class: Type.String(),
    }),
    { default: [] },
  ),
  /**
   * The zone of dates without a zone, such as "Europe/Paris", "UTC" or "+02:00". Defaults to the zone of the process.
   */
  timeZoneId: Type.Optional(Type.String()),
  /**
   * What happens to a value that matches nothing: "omit" omits it, "keep" writes it to the destination unchanged, "fail"
   * fails the document. Null and blank texts are always omitted.
   */
  onNoMatch: OneOf(['omit', 'keep', 'fail'], { default: 'omit' }),
  /**
   * What happens to a destination that exists: "overwrite" replaces its values, "append" adds to them, "skip" keeps
   * them. With one destination for several sources, "overwrite" leaves the dates of the last source.
   */
  updateMode: UpdateModeParameter,
});

/**
 * Turns dates in texts into instants, such as 2021-02-02T00:00:00Z: ISO texts in UTC. A fraction has three, six or nine
 * digits.
 *
 * The patterns are tried in order, formatStrs before formats, then the formatters. The first match wins. A pattern must match the beginning of the
 * text; the rest is ignored, so put longer patterns before shorter ones. The patterns for numbers since 1970 match only
 * complete numbers. Null and values without a match are omitted (see onNoMatch). Each value without a match is a notice.
 * If no value is a date, the destination does not change; with "overwrite", a field that is its own destination is then
 * removed.
 *
 * Letter case counts, except in names that are read with a locale. In a pattern, a single letter for a number (M, d, H) matches any number of digits, two letters
 * match exactly two, and the year yy is one from 2000 to 2099. February 30 becomes the last day of February, and 24:00
 * the next midnight. A day 32, a month 13 or a weekday that does not fit the date matches nothing. A zone or an offset
 * in the text wins over timeZoneId. A time that summer time skips is moved forward by the gap. Of a time that occurs
 * twice in autumn, the first is used.
 */
export class ParseDate extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Dates in two forms, written in New York',
      params: {
        source: ['published'],
        dest: ['published_at'],
        formatStrs: ['yyyy-MM-dd HH:mm', 'MMMM d, yyyy'],
        timeZoneId: 'America/New_York',
      },
      documents: [
        { id: '1', published: '2024-05-06 07:08' },
        { id: '2', published: 'May 6, 2024' },
        { id: '3', published: 'yesterday' },
      ],
      output: [
        { id: '1', published: '2024-05-06 07:08', published_at: '2024-05-06T11:08:00Z' },
        { id: '2', published: 'May 6, 2024', published_at: '2024-05-06T04:00:00Z' },
        { id: '3', published: 'yesterday' },
      ],
    },
    {
      description: 'French and German dates, and seconds since 1970. Other values stay',
      params: {
        source: ['date'],
        dest: ['date'],
        formatStrs: ['d MMM yyyy', 'epoch_second'],
        formats: [{ pattern: 'd. MMMM yyyy', locale: 'de' }],
        locale: 'fr',
        timeZoneId: 'UTC',
        onNoMatch: 'keep',
      },
      documents: [
        { id: '1', date: '12 févr. 2024' },
        { id: '2', date: '3. März 2024' },
        { id: '3', date: 1700000000 },
        { id: '4', date: 'unknown' },
      ],
      output: [
        { id: '1', date: '2024-02-12T00:00:00Z' },
        { id: '2', date: '2024-03-03T00:00:00Z' },
        { id: '3', date: '2023-11-14T22:13:20Z' },
        { id: '4', date: 'unknown' },
      ],
    },
    {
      description: 'Milliseconds since 1970, in place',
      params: { source: ['time'], dest: ['time'], formatters: [{ class: 'UnixTimestampFormatter' }] },
      documents: [{ id: '1', time: 1700000000123 }],
      output: [{ id: '1', time: '2023-11-14T22:13:20.123Z' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    const { formatStrs, formats, formatters, locale, timeZoneId } = params;
    if (formatStrs.length === 0 && formats.length === 0 && formatters.length === 0) {
      yield {
        parameter: 'formatStrs',
        message: 'Without formatStrs, formats and formatters, no value is read as a date',
        severity: 'warning',
      };
    }
    if (locale !== undefined) yield* checkLocale('locale', locale);
    for (const [i, pattern] of formatStrs.entries()) yield* checkPattern(`formatStrs[${i}]`, pattern);
    for (const [i, { pattern, locale: own }] of formats.entries()) {
      yield* checkPattern(`formats[${i}].pattern`, pattern);
      if (own !== undefined) yield* checkLocale(`formats[${i}].locale`, own);
    }
    for (const [i, { class: name }] of formatters.entries()) {
      if (DATE_FORMATTERS.has(name)) continue;
      const known = [...DATE_FORMATTERS.keys()].filter((other) => !other.includes('.'));
      const best = nearest(name.slice(name.lastIndexOf('.') + 1), known);
      yield {
        parameter: `formatters[${i}].class`,
        message: `There is no date formatter ${name}`,
        hint: best === undefined ? `Use one of ${known.join(', ')}.` : `Did you mean ${best}?`,
      };
    }
    if (timeZoneId !== undefined) {
      try {
        resolveZone(timeZoneId);
      } catch (error) {
        yield { parameter: 'timeZoneId', message: messageOf(error) };
      }
    }
  }

  readonly #pairs: readonly FieldPair[];
  readonly #patterns: readonly DatePattern[];
  readonly #formatters: readonly DateFormatter[];
  readonly #zone: DateZone;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#patterns = [
      ...new Set(params.formatStrs).values().map((pattern) => patternOf(pattern, params.locale)),
      ...params.formats.map(({ pattern, locale = params.locale }) => patternOf(pattern, locale)),
    ];
    this.#formatters = params.formatters.map(({ class: name }) => DATE_FORMATTERS.get(name) as DateFormatter);
    this.#zone = resolveZone(params.timeZoneId ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  }

  override process(document: Document): void {
    for (const { source, dest } of this.#pairs) this.#parseField(document, source, dest);
  }

  #parseField(document: Document, source: string, dest: string): void {
    const mode = this.params.updateMode;
    const value = document.get(source);
    if (value === undefined || (mode === 'skip' && document.has(dest))) return;
    const inPlace = source === dest && mode === 'overwrite';
    const { id } = document;
    if (!Array.isArray(value)) {
      const instant = this.#read(value, id, source, inPlace);
      if (instant === undefined) {
        if (inPlace) document.remove(dest);
      } else if (mode === 'overwrite') document.set(dest, instant);
      else document.update(dest, mode, [instant]);
      return;
    }
    const instants = this.#readList(value, id, source, inPlace);
    if (instants.length > 0) document.update(dest, mode, instants);
    else if (inPlace) document.remove(dest);
  }

  override processTable(table: DocumentTable): boolean {
    const mode = this.params.updateMode;
    const { ids } = table;
    for (const { source, dest } of this.#pairs) {
      const inPlace = source === dest && mode === 'overwrite';
      const read = (value: Value, row: number) =>
        Array.isArray(value)
          ? this.#readList(value, ids[row] as string, source, inPlace)
          : this.#read(value, ids[row] as string, source, inPlace);
      mapColumn(table, source, dest, mode, read, true);
    }
    return true;
  }

  #readList(values: readonly Value[], id: string, field: string, inPlace: boolean): Value[] {
    return values.map((item) => this.#read(item, id, field, inPlace)).filter((result) => result !== undefined);
  }

  /**
   * Returns the instant of a value, or the value itself if it is kept. Undefined if it is omitted.
   * @param inPlace true if a value without a date is removed from its field
   */
  #read(value: Value, id: string, field: string, inPlace: boolean): Value | undefined {
    const text = typeof value === 'string' ? value : textOf(value);
    if (text === null || value === '') return undefined;
    let hint: string | undefined;
    for (const pattern of this.#patterns) {
      try {
        const instant = pattern.parse(text, this.#zone);
        if (instant !== undefined) return instant;
      } catch (error) {
        if (!(error instanceof PartialDateError)) throw error;
        hint ??= error.message;
      }
    }
    for (const formatter of this.#formatters) {
      const instant = formatter(text, this.#zone);
      if (instant === undefined) continue;
      if (formatter === unixTimestampFormatter && SECONDS.test(text)) {
        this.context.notices.report('date.epochUnit', {
          document: id,
          field,
          value,
          hint: 'For seconds, use the pattern epoch_second in formatStrs.',
        });
      }
      return instant;
    }
    if (typeof value === 'string' && isBlank(value)) return undefined;
    return this.#unmatched(value, id, field, inPlace, hint);
  }

  #unmatched(value: Value, document: string, field: string, inPlace: boolean, hint?: string): Value | undefined {
    const { onNoMatch } = this.params;
    if (onNoMatch === 'fail') {
      const cause = hint === undefined ? '' : `: ${hint}`;
      throw new Error(`Field ${field} has a value that matches no date pattern${cause}`);
    }
    const code = inPlace && onNoMatch === 'omit' ? 'date.omitted' : 'date.unparsed';
    this.context.notices.report(code, { document, field, value, hint });
    return onNoMatch === 'keep' ? copyValue(value) : undefined;
  }
}

/** A number of nine or ten digits: seconds of the years 1973 to 2286, but milliseconds of the first months of 1970. */
const SECONDS = /^\d{9,10}$/;

function patternOf(pattern: string, locale: string | undefined): DatePattern {
  const epoch = epochPattern(pattern);
  if (epoch !== undefined) return epoch;
  return locale === undefined ? compileDatePattern(pattern) : compileDatePattern(pattern, locale, 'lenient');
}

function* checkPattern(parameter: string, pattern: string): Generator<ParameterProblem> {
  if (epochPattern(pattern) !== undefined) return;
  try {
    compileDatePattern(pattern);
  } catch (error) {
    yield { parameter, message: `${parameter} is not a date pattern: ${messageOf(error)}` };
  }
}

function* checkLocale(parameter: string, locale: string): Generator<ParameterProblem> {
  if (hasNames(locale)) return;
  yield {
    parameter,
    message: `${parameter} is not the tag of a known language: ${locale}`,
    hint: 'For example de, fr or pt-BR.',
  };
}

function hasNames(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    // Not a language tag.
    return false;
  }
}
