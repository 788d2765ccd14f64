import {
  type Document,
  double,
  messageOf,
  type ParameterProblem,
  parseJson,
  readJson,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
  widenFloat,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field with the text. */
  field: Type.String(),
  /** The field for the numbers. The previous value is replaced. Defaults to the same field. */
  dest: Type.Optional(Type.String()),
});

/** Far shorter than the longest number that the JSON reader accepts. */
const MAX_PLAIN_LENGTH = 100;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Turns the text of a JSON list of numbers, such as an embedding in a CSV file, into a list of numbers.
 *
 * The numbers are rounded to single precision (about 7 digits). Numbers in quotes count as numbers. Null stays null,
 * and an empty text in quotes becomes null. The target is a list, even with a single number. An empty list removes the
 * target. If the field has several texts, the first one is read; text after the list is ignored. The document does not
 * change, which is a notice, if the text is not such a list or has a number beyond single precision.
 */
export class ParseFloats extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Read a vector from a text',
      params: { field: 'vector' },
      documents: [{ id: '1', vector: '[0.25, -1.5]' }],
      output: [{ id: '1', vector: [0.25, -1.5] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.dest === undefined) yield* checkDestination('field', params.field);
    else yield* checkDestination('dest', params.dest);
  }

  readonly #dest: string;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#dest = params.dest ?? params.field;
  }

  override process(document: Document): void {
    const text = document.text(this.params.field);
    if (text === undefined) return;
    let numbers: Value[];
    try {
      numbers = parseFloats(text);
    } catch (error) {
      const hint = `Not a list of numbers: ${messageOf(error)}`;
      this.context.notices.report('stage.unchanged', {
        document: document.id,
        field: this.params.field,
        value: text,
        hint,
      });
      return;
    }
    document.remove(this.#dest);
    if (numbers.length > 0) document.set(this.#dest, numbers);
  }
}

function parseFloats(text: string): Value[] {
  const list = plainNumbers(text) ?? readJson(text);
  if (!Array.isArray(list)) throw new TypeError('Expected a JSON list');
  return list.map(toFloat);
}

/**
 * Reads a list that has only numbers with `JSON.parse`, which is faster than our reader.
 * Returns undefined if our reader must read the text.
 */
function plainNumbers(text: string): number[] | undefined {
  if (hasLongItem(text)) return undefined;
  try {
    const list: unknown = parseJson(text);
    return Array.isArray(list) && list.every(isPlain) ? list : undefined;
  } catch {
    // Our reader then reports the error and its position.
    return undefined;
  }
}

/**
 * Returns whether the value is a number other than -0. Only the text shows whether -0 is an integer, which has no sign.
 */
function isPlain(item: unknown): item is number {
  return typeof item === 'number' && !Object.is(item, -0);
}

/** Returns whether an item may be longer than `MAX_PLAIN_LENGTH`. */
function hasLongItem(text: string): boolean {
  let start = 0;
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', start)) {
    if (comma - start > MAX_PLAIN_LENGTH) return true;
    start = comma + 1;
  }
  return text.length - start > MAX_PLAIN_LENGTH;
}

function toFloat(item: Value, index: number): Value {
  if (item === null || item === '') return null;
  const number = numberOf(item);
  const float = number === undefined ? undefined : Math.fround(number);
  if (float === undefined || !Number.isFinite(float)) {
    throw new TypeError(`Value ${index + 1} is not a number of single precision`);
  }
  return double(widenFloat(float));
}

function numberOf(item: Value): number | undefined {
  switch (typeof item) {
    case 'number':
      return item;
    case 'bigint':
      return Number(item);
    case 'string':
      return DECIMAL.test(item.trim()) ? Number(item) : undefined;
    case 'object':
      return item !== null && 'value' in item ? item.value : undefined;
  }
  return undefined;
}
