import {
  type Document,
  type DocumentTable,
  MapOf,
  mapColumn,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { isBlank } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';
import { firstText } from '../fields/first-text.ts';

const parameters = Type.Object({
  /** For each field the field that receives its first character. At least one entry. */
  fieldMapping: MapOf(Type.String()),
  /** What is written if the character is not a letter. With "SKIP" nothing is written. */
  replacement: Type.String({ default: 'nonalpha' }),
});

/**
 * Writes the first character of a field's first value to another field, or a replacement if it is not a letter. Use it
 * for an index from A to Z.
 *
 * Letters of any script count and keep their case. Digits, white space and emoji are not letters. White space before the
 * first letter is not skipped. The previous value of the other field is replaced. If the field is missing, null, empty,
 * an object or only white space, neither field changes.
 */
export class ExtractFirstCharacter extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The letter under which a name is listed',
      params: { fieldMapping: { name: 'letter' }, replacement: '#' },
      documents: [
        { id: '1', name: 'Émile' },
        { id: '2', name: '9 lives' },
      ],
      output: [
        { id: '1', name: 'Émile', letter: 'É' },
        { id: '2', name: '9 lives', letter: '#' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fieldMapping.size === 0) {
      yield { parameter: 'fieldMapping', message: 'fieldMapping must name at least one field' };
    }
    for (const [source, dest] of params.fieldMapping) yield* checkDestination(`fieldMapping.${source}`, dest);
  }

  readonly #pairs: readonly (readonly [source: string, dest: string])[];
  readonly #replacement: string | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = [...params.fieldMapping];
    this.#replacement = params.replacement === 'SKIP' ? undefined : params.replacement;
  }

  override process(document: Document): void {
    for (const [source, dest] of this.#pairs) {
      const first = this.#firstOf(document.text(source));
      if (first !== undefined) document.set(dest, first);
    }
  }

  override processTable(table: DocumentTable): boolean {
    const first = (value: Value) => this.#firstOf(firstText(value));
    for (const [source, dest] of this.#pairs) mapColumn(table, source, dest, 'overwrite', first);
    return true;
  }

  #firstOf(text: string | undefined): string | undefined {
    const first = text?.codePointAt(0);
    if (text === undefined || first === undefined) return undefined;
    if (isLetter(first)) return String.fromCodePoint(first);
    return isBlank(text) ? undefined : this.#replacement;
  }
}

function isLetter(codePoint: number): boolean {
  if (codePoint < 0x80) return (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
  return /^\p{L}$/u.test(String.fromCodePoint(codePoint));
}
