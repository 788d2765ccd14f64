import {
  type Document,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { isBlank } from '@headrace/java-text/text';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  fieldMapping: MapOf(Type.String()),
  replacement: Type.Optional(Type.String({ default: 'nonalpha' })),
});

/**
 * Writes the first character of a field's first value to another field when it is a letter, else a replacement:
 * what an index from A to Z is made of.
 * <p>
 * A letter is one of any script, and keeps its case; digits, white space and emoji are none. White space before the first
 * letter is not passed over. What the other field held is replaced. A field that is missing, null, empty, an object or
 * nothing but white space is left alone, and so is the other field then.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fieldMapping (Map&lt;String, String&gt;, Required) : For each field the one that receives its first character,
 *   at least one entry.</li>
 *   <li>replacement (String, Optional) : What is written in place of a character that is no letter; with "SKIP"
 *   nothing is. Defaults to "nonalpha".</li>
 * </ul>
 */
export class ExtractFirstCharacter extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The letter that a name stands under',
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
      const text = document.text(source);
      const first = text?.codePointAt(0);
      if (text === undefined || first === undefined) continue;
      if (isLetter(first)) document.set(dest, String.fromCodePoint(first));
      else if (this.#replacement !== undefined && !isBlank(text)) document.set(dest, this.#replacement);
    }
  }
}

function isLetter(codePoint: number): boolean {
  if (codePoint < 0x80) return (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
  return /^\p{L}$/u.test(String.fromCodePoint(codePoint));
}
