import {
  type Document,
  type DocumentTable,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  UpdateModeParameter,
} from '@headrace/engine';
import { sentenceCase, titleCase } from '@headrace/languages/java/text';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { transformColumn, transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  /** The fields to read. */
  source: Type.Array(Type.String()),
  /** The fields for the results, one for each source, or one for all. A source may be its own destination. */
  dest: Type.Array(Type.String()),
  /**
   * "lowercase", "uppercase", "title_case" (a capital at the start and after white space, lower case otherwise:
   * "O'neil") or "sentence_case" (a capital at the start and after each full stop, question mark or exclamation mark
   * with one blank after it, lower case otherwise), or a normal form of Unicode: "nfc", "nfd", "nfkc" or "nfkd". The
   * letter case of the mode does not matter.
   */
  mode: Type.String(),
  /**
   * What happens to a destination that exists: "overwrite" replaces its values, "append" adds to them, "skip" keeps
   * them. With one destination for several sources, "overwrite" leaves the values of the last source.
   */
  updateMode: UpdateModeParameter,
});

const MODES: ReadonlyMap<string, (text: string) => string> = new Map([
  ['lowercase', (text: string) => text.toLowerCase()],
  ['uppercase', (text: string) => text.toUpperCase()],
  ['title_case', titleCase],
  ['sentence_case', sentenceCase],
  ...(['nfc', 'nfd', 'nfkc', 'nfkd'] as const).map(
    (form) => [form, (text: string) => text.normalize(form.toUpperCase())] as const,
  ),
]);

/**
 * Changes the letter case of texts, or brings them to a normal form of Unicode.
 *
 * The same letter can have several forms in Unicode: "é" is one character or two. "nfc" uses the short form, which most
 * search engines expect, and "nfd" the long one. "nfkc" and "nfkd" also replace variants of characters by the ordinary
 * ones: "ﬁ" becomes "fi", and full-width letters and digits become ordinary ones.
 *
 * Numbers and booleans become texts. A list of one value becomes that value. Null and objects do not change. Missing
 * fields and empty lists change nothing. The rules are those of Unicode for all languages: "straße" in upper case is
 * "STRASSE".
 */
export class NormalizeText extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Lower case for a field to filter by',
      params: { source: ['color'], dest: ['color_key'], mode: 'lowercase' },
      documents: [{ id: '1', color: ['Red', 'BLUE'] }],
      output: [{ id: '1', color: ['Red', 'BLUE'], color_key: ['red', 'blue'] }],
    },
    {
      description: 'Full-width letters and a ligature become ordinary letters',
      params: { source: ['name'], dest: ['name'], mode: 'nfkc' },
      documents: [{ id: '1', name: 'Ｏﬃce ①' }],
      output: [{ id: '1', name: 'Office 1' }],
    },
    {
      description: 'A title written in capitals',
      params: { source: ['title'], dest: ['title'], mode: 'title_case' },
      documents: [{ id: '1', title: 'THE OLD MAN AND THE SEA' }],
      output: [{ id: '1', title: 'The Old Man And The Sea' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    if (!MODES.has(params.mode.toLowerCase())) {
      yield {
        parameter: 'mode',
        message: `mode must be one of ${[...MODES.keys()].map((mode) => `"${mode}"`).join(', ')}, was "${params.mode}"`,
      };
    }
  }

  readonly #pairs: readonly FieldPair[];
  readonly #change: (text: string) => string;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#change = MODES.get(params.mode.toLowerCase()) as (text: string) => string;
  }

  override process(document: Document): void {
    const mode = this.params.updateMode;
    for (const { source, dest } of this.#pairs) transformTexts(document, source, dest, mode, this.#change);
  }

  override processTable(table: DocumentTable): boolean {
    const mode = this.params.updateMode;
    return this.#pairs.every(({ source, dest }) => transformColumn(table, source, dest, mode, this.#change));
  }
}
