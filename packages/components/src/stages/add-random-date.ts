import { type Document, type ParameterProblem, Stage, type StageContext, type Static, Type } from '@headrace/engine';
import { formatInstant } from '@headrace/languages/java/date';
import { checkDestination } from '../fields/destination.ts';
import { checkRange, drawInteger } from '../random/draw.ts';

const parameters = Type.Object({
  /** The field to write. */
  fieldName: Type.String({ default: 'data' }),
  /** The first day of the range, in UTC, as yyyy-MM-dd. */
  rangeStartDate: Type.String({ default: '1970-01-01' }),
  /**
   * The end of the range: the start of this day in UTC, as yyyy-MM-dd. This instant itself is not part of the range. It
   * must be later than rangeStartDate. Defaults to the day on which the stage starts.
   */
  rangeEndDate: Type.Optional(Type.String()),
});

/**
 * Writes a random instant to a field. Every millisecond of the range is equally likely. The previous value is replaced.
 *
 * The instant is an ISO text in UTC, such as 2024-05-06T07:08:09.120Z. It has no fraction if it falls on a whole
 * second.
 */
export class AddRandomDate extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Some time in May 2024',
      params: { fieldName: 'modified', rangeStartDate: '2024-05-01', rangeEndDate: '2024-06-01' },
      documents: [{ id: '1' }],
      output: [{ id: '1', modified: '2024-05-17T20:31:07.446Z' }],
      random: true,
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('fieldName', params.fieldName);
    const start = params.rangeStartDate;
    const end = params.rangeEndDate ?? today();
    const problems = [...checkDate('rangeStartDate', start), ...checkDate('rangeEndDate', end)];
    yield* problems;
    if (problems.length > 0) return;
    yield* checkRange(params.rangeEndDate === undefined ? 'rangeStartDate' : 'rangeEndDate', start, end, 'instant');
  }

  readonly #fieldName: string;
  readonly #first: number;
  readonly #count: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#fieldName = params.fieldName;
    this.#first = midnight(params.rangeStartDate);
    this.#count = midnight(params.rangeEndDate ?? today()) - this.#first;
  }

  override process(document: Document): void {
    const millis = drawInteger(this.#first, this.#count);
    const seconds = Math.floor(millis / 1000);
    document.set(this.#fieldName, formatInstant(seconds, (millis - seconds * 1000) * 1_000_000));
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Returns the start of a day in UTC, in milliseconds since 1970. */
function midnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function* checkDate(parameter: string, date: string): Generator<ParameterProblem> {
  const millis = /^\d{4}-\d\d-\d\d$/.test(date) ? midnight(date) : Number.NaN;
  // JavaScript reads the 30th of February as one of the first days of March.
  if (!Number.isNaN(millis) && new Date(millis).toISOString().startsWith(date)) return;
  yield {
    parameter,
    message: `${parameter} is not a date: "${date}"`,
    hint: 'Write it as yyyy-MM-dd, such as 2024-05-06.',
  };
}
