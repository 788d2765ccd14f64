import {
  type Document,
  type DocumentTable,
  mapColumn,
  messageOf,
  nearest,
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
  PartialDateError,
  resolveZone,
} from '@headrace/java-text/date';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';

const parameters = Type.Object({
  /** The fields with the dates. */
  source: Type.Array(Type.String()),
  /** The fields for the instants, one for each source, or one for all. A source may be its own destination. */
  dest: Type.Array(Type.String()),
  /**
   * Patterns in the language of Java's DateTimeFormatter, such as yyyy-MM-dd HH:mm:ss, with English names of months and
   * days. A pattern without a full date matches nothing; one without an hour means midnight.
   */
  formatStrs: Type.Array(Type.String(), { default: [] }),
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
   * What happens to a destination that exists: "overwrite" replaces its values, "append" adds to them, "skip" keeps
   * them. With one destination for several sources, "overwrite" leaves the dates of the last source.
   */
  updateMode: UpdateModeParameter,
});

/**
 * Turns dates in texts into instants, such as 2021-02-02T00:00:00Z: ISO texts in UTC. A fraction has three, six or nine
 * digits.
 *
 * The patterns are tried in order, then the formatters. The first match wins. A pattern must match the beginning of the
 * text; the rest is ignored, so put longer patterns before shorter ones. Null and values without a match are omitted.
 * If no value is a date, the destination does not change; with "overwrite", a field that is its own destination is then
 * removed.
 *
 * Letter case counts. In a pattern, a single letter for a number (M, d, H) matches any number of digits, two letters
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
      description: 'Milliseconds since 1970, in place',
      params: { source: ['time'], dest: ['time'], formatters: [{ class: 'UnixTimestampFormatter' }] },
      documents: [{ id: '1', time: 1700000000123 }],
      output: [{ id: '1', time: '2023-11-14T22:13:20.123Z' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    const { formatStrs, formatters, timeZoneId } = params;
    if (formatStrs.length === 0 && formatters.length === 0) {
      yield {
        parameter: 'formatStrs',
        message: 'Without formatStrs and formatters, no value is read as a date',
        severity: 'warning',
      };
    }
    for (const [i, pattern] of formatStrs.entries()) {
      const parameter = `formatStrs[${i}]`;
      try {
        compileDatePattern(pattern);
      } catch (error) {
        yield { parameter, message: `${parameter} is not a date pattern: ${messageOf(error)}` };
      }
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
  readonly #partial = new Set<DatePattern>();

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#patterns = [...new Set(params.formatStrs)].map((pattern) => compileDatePattern(pattern));
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
    if (!Array.isArray(value)) {
      const instant = this.#read(value, source, dest, document.id);
      if (instant === undefined) {
        if (source === dest && mode === 'overwrite') document.remove(dest);
      } else if (mode === 'overwrite') document.set(dest, instant);
      else document.update(dest, mode, [instant]);
      return;
    }
    const instants = value
      .map((item) => this.#read(item, source, dest, document.id))
      .filter((instant) => instant !== undefined);
    if (instants.length > 0) document.update(dest, mode, instants);
    else if (source === dest && mode === 'overwrite') document.remove(dest);
  }

  override processTable(table: DocumentTable): boolean {
    const mode = this.params.updateMode;
    for (const { source, dest } of this.#pairs) {
      const read = (value: Value) => this.#read(value, source, dest);
      const readAll = (value: Value) =>
        Array.isArray(value) ? value.map(read).filter((instant) => instant !== undefined) : read(value);
      mapColumn(table, source, dest, mode, readAll, true);
    }
    return true;
  }

  /** Returns the instant of a value. Reports a value that matches no pattern. */
  #read(value: Value, source: string, dest: string, document?: string): string | undefined {
    const instant = this.#parse(value);
    if (instant !== undefined || value === null || value === '') return instant;
    const isLost = source === dest && this.params.updateMode === 'overwrite';
    this.context.notices.report(isLost ? 'date.omitted' : 'date.unparsed', { document, field: source, value });
    return undefined;
  }

  #parse(value: Value): string | undefined {
    const text = typeof value === 'string' ? value : textOf(value);
    if (text === null || text === '') return undefined;
    for (const pattern of this.#patterns) {
      try {
        const instant = pattern.parse(text, this.#zone);
        if (instant !== undefined) return instant;
      } catch (error) {
        if (!(error instanceof PartialDateError)) throw error;
        this.#warnOnce(pattern, error);
      }
    }
    for (const formatter of this.#formatters) {
      const instant = formatter(text, this.#zone);
      if (instant !== undefined) return instant;
    }
    return undefined;
  }

  /** Logs the warning only for the first date: the config is wrong, not the documents. */
  #warnOnce(pattern: DatePattern, error: PartialDateError): void {
    if (this.#partial.has(pattern)) return;
    this.#partial.add(pattern);
    this.context.log.warn(`A date was omitted: ${error.message}`);
  }
}
