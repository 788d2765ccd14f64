import { type Document, type ParameterProblem, Stage, type StageContext, type Static, Type } from '@headrace/engine';
import { formatInstant } from '@headrace/java-text/date';
import { checkDestination } from '../fields/destination.ts';
import { checkRange, drawInteger } from '../random/draw.ts';

const parameters = Type.Object({
  fieldName: Type.Optional(Type.String({ default: 'data' })),
  rangeStartDate: Type.Optional(Type.String({ default: '1970-01-01' })),
  rangeEndDate: Type.Optional(Type.String()),
});

/**
 * Writes a random instant to a field, every millisecond of the range equally likely. What the field held is replaced.
 * <p>
 * The instant is an ISO text in UTC, such as <b>2024-05-06T07:08:09.120Z</b>, without a fraction when it falls on a
 * whole second.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fieldName (String, Optional) : The field to write. Defaults to "data".</li>
 *   <li>rangeStartDate (String, Optional) : The day at whose start, in UTC, the range begins, as yyyy-MM-dd. Defaults to
 *   1970-01-01.</li>
 *   <li>rangeEndDate (String, Optional) : The day at whose start, in UTC, the range ends, as yyyy-MM-dd: the last instant
 *   that may come is the millisecond before. It must be later than rangeStartDate. Defaults to the day on which the
 *   stage starts.</li>
 * </ul>
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
    yield* checkDestination('fieldName', params.fieldName as string);
    const start = params.rangeStartDate as string;
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
    this.#fieldName = params.fieldName as string;
    this.#first = midnight(params.rangeStartDate as string);
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

/** Milliseconds since 1970 at the start of a day in UTC. */
function midnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function* checkDate(parameter: string, date: string): Generator<ParameterProblem> {
  const millis = /^\d{4}-\d\d-\d\d$/.test(date) ? midnight(date) : Number.NaN;
  // JavaScript takes the 30th of February for the first days of March.
  if (!Number.isNaN(millis) && new Date(millis).toISOString().startsWith(date)) return;
  yield {
    parameter,
    message: `${parameter} is no date: "${date}"`,
    hint: 'Write it as yyyy-MM-dd, such as 2024-05-06.',
  };
}
