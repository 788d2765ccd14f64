import {
  type Document,
  type DocumentTable,
  Double,
  mapColumn,
  messageOf,
  OneOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import {
  compileDateFormat,
  type DateFormat,
  type DateZone,
  type Instant,
  instantOfMillis,
  readInstant,
  resolveZone,
} from '@headrace/languages/java/date';
import { isBlank } from '@headrace/languages/java/text';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';

const parameters = Type.Object({
  /** The fields with the dates. */
  source: Type.Array(Type.String()),
  /** The fields for the texts, one for each source, or one for all. A source may be its own destination. */
  dest: Type.Array(Type.String()),
  /**
   * The pattern, in the language of Java's DateTimeFormatter, such as EEEE, d MMMM yyyy HH:mm. The letters z and v,
   * names of zones, are not supported: use XXX for the offset or VV for the id of the zone.
   */
  formatStr: Type.String(),
  /** The zone to write the dates in, such as "Europe/Paris", "UTC" or "+02:00". */
  timeZoneId: Type.String({ default: 'UTC' }),
  /** The language tag for names of months and days and for the weeks of the year, such as "de-DE". */
  locale: Type.String({ default: 'en-US' }),
  /** What numbers count: "milliseconds" or "seconds". */
  epochUnit: OneOf(['milliseconds', 'seconds'], { default: 'milliseconds' }),
  /**
   * What happens to a destination that exists: "overwrite" replaces its values, "append" adds to them, "skip" keeps
   * them.
   */
  updateMode: UpdateModeParameter,
});

/**
 * Writes dates in a pattern: 2024-05-06T11:08:00Z as 6 May 2024. It is the opposite of ParseDate and reads its
 * instants.
 *
 * A date is a text in ISO form, or a number that counts from 1970-01-01 in UTC. ISO forms are 2024-05-06T11:08:00Z;
 * with an offset such as +02:00 instead of Z; with a blank instead of T; with a fraction of a second; without seconds;
 * and 2024-05-06, which is midnight. A text without an offset is read in timeZoneId. For other forms, use ParseDate
 * first.
 *
 * Null and other values are omitted. Each value that is neither null nor blank nor a date is a notice. If no value is a date, the destination does not change; with "overwrite", a field
 * that is its own destination is then removed. A document fails if a date does not fit the pattern.
 */
export class FormatDate extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly javaClass = null;

  static readonly examples = [
    {
      description: 'Dates as readers in Germany write them',
      params: {
        source: ['published_at'],
        dest: ['published'],
        formatStr: 'd. MMMM yyyy, HH:mm',
        timeZoneId: 'Europe/Berlin',
        locale: 'de-DE',
      },
      documents: [
        { id: '1', published_at: '2024-05-06T11:08:00Z' },
        { id: '2', published_at: '2024-12-01' },
        { id: '3', published_at: 'yesterday' },
      ],
      output: [
        { id: '1', published_at: '2024-05-06T11:08:00Z', published: '6. Mai 2024, 13:08' },
        { id: '2', published_at: '2024-12-01', published: '1. Dezember 2024, 00:00' },
        { id: '3', published_at: 'yesterday' },
      ],
    },
    {
      description: 'The month of a number of seconds, to group documents',
      params: { source: ['time'], dest: ['month'], formatStr: 'yyyy-MM', epochUnit: 'seconds' },
      documents: [{ id: '1', time: 1700000000 }],
      output: [{ id: '1', time: 1700000000, month: '2023-11' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    const { formatStr, timeZoneId, locale } = params;
    try {
      resolveZone(timeZoneId);
    } catch (error) {
      yield { parameter: 'timeZoneId', message: messageOf(error) };
    }
    if (!isLocale(locale)) {
      yield {
        parameter: 'locale',
        message: `locale is not a language tag: "${locale}"`,
        hint: 'Write a language, and a region if it matters: de, de-DE, en-GB.',
      };
      return;
    }
    try {
      compileDateFormat(formatStr, locale);
    } catch (error) {
      yield { parameter: 'formatStr', message: `formatStr is not a date pattern: ${messageOf(error)}` };
    }
  }

  readonly #pairs: readonly FieldPair[];
  readonly #pattern: DateFormat;
  readonly #zone: DateZone;
  readonly #factor: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#pattern = compileDateFormat(params.formatStr, params.locale);
    this.#zone = resolveZone(params.timeZoneId);
    this.#factor = params.epochUnit === 'seconds' ? 1000 : 1;
  }

  override process(document: Document): void {
    for (const { source, dest } of this.#pairs) this.#formatField(document, source, dest);
  }

  #formatField(document: Document, source: string, dest: string): void {
    const mode = this.params.updateMode;
    const value = document.get(source);
    if (value === undefined || (mode === 'skip' && document.has(dest))) return;
    const inPlace = source === dest && mode === 'overwrite';
    const texts = this.#formatAll(Array.isArray(value) ? value : [value], document.id, source, inPlace);
    if (texts.length > 0) document.update(dest, mode, texts);
    else if (inPlace) document.remove(dest);
  }

  override processTable(table: DocumentTable): boolean {
    const mode = this.params.updateMode;
    const { ids } = table;
    for (const { source, dest } of this.#pairs) {
      const inPlace = source === dest && mode === 'overwrite';
      const format = (value: Value, row: number) =>
        Array.isArray(value)
          ? this.#formatAll(value, ids[row] as string, source, inPlace)
          : this.#format(value, ids[row] as string, source, inPlace);
      mapColumn(table, source, dest, mode, format, true);
    }
    return true;
  }

  #formatAll(values: readonly Value[], id: string, field: string, inPlace: boolean): string[] {
    return values.map((item) => this.#format(item, id, field, inPlace)).filter((text) => text !== undefined);
  }

  /** @param inPlace true if a value that is no date is removed from its field */
  #format(value: Value, document: string, field: string, inPlace: boolean): string | undefined {
    const instant = this.#instantOf(value);
    if (instant !== undefined) return this.#pattern.format(instant, this.#zone);
    if (value !== null && !(typeof value === 'string' && isBlank(value))) {
      this.context.notices.report(inPlace ? 'date.omitted' : 'date.unparsed', { document, field, value });
    }
    return undefined;
  }

  #instantOf(value: Value): Instant | undefined {
    if (typeof value === 'string') return readInstant(value, this.#zone);
    if (typeof value === 'bigint') return instantOfMillis(value * BigInt(this.#factor));
    const number = value instanceof Double ? value.value : value;
    return typeof number === 'number' && Number.isFinite(number) ? instantOfMillis(number * this.#factor) : undefined;
  }
}

function isLocale(tag: string): boolean {
  try {
    return tag !== '' && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
