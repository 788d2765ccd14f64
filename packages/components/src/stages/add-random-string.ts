import {
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
import { stringHash } from '@headrace/java-text/text';
import { checkDestination } from '../fields/destination.ts';
import { readFileSync } from '../local-files/local-files.ts';
import { checkCounts, drawInteger, sample } from '../random/draw.ts';

const parameters = Type.Object({
  inputDataPath: Type.Optional(Type.String(READS)),
  fieldName: Type.Optional(Type.String({ default: 'data' })),
  rangeSize: Type.Optional(Type.Integer({ minimum: 1 })),
  minNumOfTerms: Type.Optional(Type.Integer({ minimum: 0 })),
  maxNumOfTerms: Type.Optional(Type.Integer({ minimum: 0 })),
  concatenate: Type.Optional(Type.Boolean({ default: false })),
  isNested: Type.Optional(Type.Boolean({ default: false })),
});

/**
 * Writes random terms to a field: lines of a file, or numbers as texts. A term may come several times.
 * <p>
 * Terms are added to what the field holds, each as a value of its own: a single term in a new field is a single value,
 * several are a list. With concatenate one text of all terms is added. With isNested the field becomes a list of
 * objects, <b>{"data": term}</b> each, and what it held is lost.
 * <p>
 * When no term is drawn, because minNumOfTerms is 0, nothing is added; with concatenate the empty text is, and with
 * isNested the field becomes an empty list.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>inputDataPath (String, Optional) : Path of a local file in UTF-8 with one term on each line; an empty line is an
 *   empty term. Without it the terms are numbers.</li>
 *   <li>fieldName (String, Optional) : The field to write. Defaults to "data".</li>
 *   <li>rangeSize (Integer, Optional) : How many terms there are to draw from. Without a file it is required, and the
 *   terms are "0", "1" and so on up to rangeSize - 1. With a file that has more lines, a run takes that many of them,
 *   chosen at random; the file may not have fewer. Defaults to all lines of the file.</li>
 *   <li>minNumOfTerms (Integer, Optional) : The least number of terms to draw for a document. It goes together with
 *   maxNumOfTerms. Defaults to 1.</li>
 *   <li>maxNumOfTerms (Integer, Optional) : The greatest number of terms to draw for a document. Defaults to 1.</li>
 *   <li>concatenate (Boolean, Optional) : Whether the terms are joined into one text, with blanks between them. Not
 *   together with isNested. Defaults to false.</li>
 *   <li>isNested (Boolean, Optional) : Whether the terms are written as a list of objects. Defaults to false.</li>
 * </ul>
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
    yield* checkDestination('fieldName', params.fieldName as string);
    if (params.inputDataPath === '') yield { parameter: 'inputDataPath', message: 'inputDataPath must not be empty' };
    if (params.inputDataPath === undefined && params.rangeSize === undefined) {
      yield { parameter: 'rangeSize', message: 'rangeSize must be given when there is no inputDataPath' };
    }
    yield* checkCounts(params, 'minNumOfTerms', 'maxNumOfTerms');
    if (params.concatenate === true && params.isNested === true) {
      yield { parameter: 'concatenate', message: 'concatenate and isNested cannot both be true' };
    }
  }

  readonly #fieldName: string;
  readonly #minTerms: number;
  /** How many numbers of terms there are to draw. */
  readonly #counts: number;
  /** The terms of the file; without one, the numbers below `rangeSize` are the terms. */
  #terms: readonly string[] | undefined = undefined;
  #rangeSize: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#fieldName = params.fieldName as string;
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
    // The threads of a run draw from the same terms, or there would be more than rangeSize of them.
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
    hint: 'inputDataPath is the path of a local text file in UTF-8, with a term on each line.',
    cause,
  });
}
