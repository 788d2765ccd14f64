import {
  type Document,
  type DocumentTable,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { transformColumn, transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  /** The field to cut. */
  source: Type.String(),
  /** The length to keep, 0 or more. */
  maxSize: Type.Integer({ minimum: 0 }),
  /** The field for the result. The previous value is replaced. Defaults to the source. */
  destination: Type.Optional(Type.String()),
});

/**
 * Cuts the texts of a field to a maximum length.
 *
 * Every value of a list is cut. The length counts UTF-16 units: one for most characters, two for emoji. A character of
 * two units that does not fit is omitted whole. Numbers and booleans become texts. A list of one value becomes that
 * value. Null and objects do not change. A missing field changes nothing.
 */
export class TruncateField extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Keep the first 10 characters of a text in another field',
      params: { source: 'text', maxSize: 10, destination: 'teaser' },
      documents: [{ id: '1', text: 'A long text that continues' }],
      output: [{ id: '1', text: 'A long text that continues', teaser: 'A long tex' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.destination === undefined) yield* checkDestination('source', params.source);
    else yield* checkDestination('destination', params.destination);
  }

  readonly #destination: string;
  readonly #truncate: (text: string) => string;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const { maxSize } = params;
    this.#destination = params.destination ?? params.source;
    this.#truncate = (text) => truncate(text, maxSize);
  }

  override process(document: Document): void {
    transformTexts(document, this.params.source, this.#destination, 'overwrite', this.#truncate);
  }

  override processTable(table: DocumentTable): boolean {
    return transformColumn(table, this.params.source, this.#destination, 'overwrite', this.#truncate);
  }
}

function truncate(text: string, maxSize: number): string {
  if (text.length <= maxSize) return text;
  // Half of a surrogate pair at the end would make the text invalid UTF-16.
  const splitsPair = maxSize > 0 && (text.codePointAt(maxSize - 1) as number) > 0xffff;
  return text.slice(0, splitsPair ? maxSize - 1 : maxSize);
}
