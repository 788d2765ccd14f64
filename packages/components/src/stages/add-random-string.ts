import {
  capped,
  counted,
  type Document,
  HeadraceError,
  messageOf,
  type ParameterProblem,
  READS,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { stringHash } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';
import { readFileSync } from '../local-files/local-files.ts';
import { checkCounts, drawInteger, sample } from '../random/draw.ts';

const parameters = Type.Object({
  /**
   * The path of a local file in UTF-8 with one term on each line. An empty line is an empty term. Without a file, the
   * terms are numbers.
   */
  inputDataPath: Type.Optional(Type.String(READS)),
  /** The field to write. */
  fieldName: Type.String({ default: 'data' }),
  /**
   * The number of different terms. Required without a file: the terms are then "0", "1" and so on up to rangeSize - 1.
   * With a file that has more lines, a run uses that many of them, selected at random. The file must not have fewer.
   * Defaults to all lines of the file.
   */
  rangeSize: Type.Optional(Type.Integer({ minimum: 1, ...capped('maxItems') })),
  /** The smallest number of terms for a document. Requires maxNumOfTerms. Defaults to 1. */
  minNumOfTerms: Type.Optional(Type.Integer({ minimum: 0, ...capped('maxItems') })),
  /** The largest number of terms for a document. Defaults to 1. */
  maxNumOfTerms: Type.Optional(Type.Integer({ minimum: 0, ...capped('maxItems') })),
  /** Whether the terms are joined into one text, separated by blanks. Cannot be combined with isNested. */
  concatenate: Type.Boolean({ default: false }),
  /** Whether the terms are written as a list of objects. */
  isNested: Type.Boolean({ default: false }),
});

/**
 * Writes random terms to a field: lines of a file, or numbers as texts. A term may occur several times.
 *
 * The terms are added to the values of the field. A single term in a new field is a single value, several terms are a
 * list. With concatenate, one text with all terms is added. With isNested, the field becomes a list of objects such as
 * {"data": term}, and its previous values are lost.
 *
 * If minNumOfTerms is 0, there may be no term. Then nothing is added; with concatenate the empty text is added, and
 * with isNested the field becomes an empty list.
 */
export class AddRandomString extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'A category out of twenty',
      params: { fieldName: 'category', rangeSize: 20 },
      documents: [{ id: '1' }],
      output: [{ id: '1', category: '13' }],
      random: true,
    },
    {
      description: 'Three terms as objects, of a range with one term in it',
      params: { fieldName: 'tags', rangeSize: 1, minNumOfTerms: 3, maxNumOfTerms: 3, isNested: true },
      documents: [{ id: '1' }],
      output: [{ id: '1', tags: [{ data: '0' }, { data: '0' }, { data: '0' }] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('fieldName', params.fieldName);
    if (params.inputDataPath === '') yield { parameter: 'inputDataPath', message: 'inputDataPath must not be empty' };
    if (params.inputDataPath === undefined && params.rangeSize === undefined) {
      yield { parameter: 'rangeSize', message: 'rangeSize must be given if there is no inputDataPath' };
    }
    yield* checkCounts(params, 'minNumOfTerms', 'maxNumOfTerms');
    if (params.concatenate === true && params.isNested === true) {
      yield { parameter: 'concatenate', message: 'concatenate and isNested cannot both be true' };
    }
  }

  readonly #fieldName: string;
  readonly #minTerms: number;
  /** The number of possible term counts. */
  readonly #counts: number;
  /** The terms of the file. Undefined without a file: the terms are then the numbers below `rangeSize`. */
  #terms: readonly string[] | undefined = undefined;
  #rangeSize: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#fieldName = params.fieldName;
    this.#minTerms = params.minNumOfTerms ?? 1;
    this.#counts = (params.maxNumOfTerms ?? 1) - this.#minTerms + 1;
    this.#rangeSize = params.rangeSize ?? 0;
  }

  override start(): void {
    const { inputDataPath, rangeSize } = this.params;
    if (inputDataPath === undefined) return;
    const lines = readLines(inputDataPath);
    if (lines.length === 0) throw unusable(inputDataPath, 'it is empty');
    if (rangeSize !== undefined && rangeSize > lines.length) {
      throw unusable(
        inputDataPath,
        `it has ${counted(lines.length, 'line')}, which is less than rangeSize, ${rangeSize}`,
      );
    }
    this.#rangeSize = rangeSize ?? lines.length;
    // All threads of a run use the same terms. Otherwise the run would use more than rangeSize terms.
    const { runId, pipeline, name } = this.context;
    const seed = stringHash(`${runId}/${pipeline}/${name}`);
    this.#terms = this.#rangeSize < lines.length ? sample(lines, this.#rangeSize, seed) : lines;
  }

  override process(document: Document): void {
    const fieldName = this.#fieldName;
    const { concatenate, isNested } = this.params;
    const count = drawInteger(this.#minTerms, this.#counts);
    if (isNested === true) {
      const objects: Value[] = [];
      for (let i = 0; i < count; i++) objects.push(new Map([['data', this.#draw()]]));
      document.set(fieldName, objects);
    } else if (concatenate === true) {
      let text = count === 0 ? '' : this.#draw();
      for (let i = 1; i < count; i++) text += ` ${this.#draw()}`;
      document.setOrAdd(fieldName, text);
    } else {
      for (let i = 0; i < count; i++) document.setOrAdd(fieldName, this.#draw());
    }
  }

  #draw(): string {
    const at = drawInteger(0, this.#rangeSize);
    return this.#terms === undefined ? String(at) : (this.#terms[at] as string);
  }
}

function readLines(path: string): string[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw unusable(path, messageOf(error), error);
  }
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function unusable(path: string, reason: string, cause?: unknown): HeadraceError {
  return new HeadraceError('HR_STAGE_START', `The file ${path} cannot be used: ${reason}`, {
    hint: 'inputDataPath must be the path of a local text file in UTF-8, with one term on each line.',
    cause,
  });
}
