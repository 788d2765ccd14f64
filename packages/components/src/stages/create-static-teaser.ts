import {
  type Document,
  type DocumentTable,
  mapColumn,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { javaTrim } from '@headrace/languages/java/text';
import { graphemeFloor } from '@headrace/text-analysis/letters';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { firstText } from '../fields/first-text.ts';

const parameters = Type.Object({
  /** The fields to read. */
  source: Type.Array(Type.String()),
  /** The fields for the teasers, one for each source, or one for all. A source may be its own destination. */
  dest: Type.Array(Type.String()),
  /** The maximum length of a teaser, at least 1. */
  maxLength: Type.Integer({ minimum: 1 }),
  /**
   * What happens to a destination that exists: "overwrite" replaces its values, "append" adds to them, "skip" keeps
   * them. With one destination for several sources, "overwrite" leaves the teaser of the last source that has one.
   */
  updateMode: UpdateModeParameter,
});

/**
 * Shortens texts for display, between words where possible.
 *
 * A text that is not longer than maxLength stays whole. A longer text ends before the last blank, full stop, question
 * mark, exclamation mark or comma among its first maxLength characters. A text without any of these is cut at
 * maxLength, but never inside a visible character: an accent stays with its letter, and an emoji or a flag is kept or
 * omitted whole. Lengths count UTF-16 units: one for most characters, two or more for emoji. White space at both ends
 * is removed, unless the cut was inside a word.
 *
 * If the field is a list, its first value is used, as text. An object has no text and makes an empty teaser. A missing
 * field, null and an empty list make no teaser.
 */
export class CreateStaticTeaser extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The beginning of a text',
      params: { source: ['body'], dest: ['teaser'], maxLength: 20 },
      documents: [
        { id: '1', body: 'It was the best of times, it was the worst of times' },
        { id: '2', body: 'Call me Ishmael.' },
      ],
      output: [
        { id: '1', body: 'It was the best of times, it was the worst of times', teaser: 'It was the best of' },
        { id: '2', body: 'Call me Ishmael.', teaser: 'Call me Ishmael.' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
  }

  readonly #pairs: readonly FieldPair[];

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
  }

  override process(document: Document): void {
    const mode = this.params.updateMode;
    for (const { source, dest } of this.#pairs) {
      const text = document.text(source);
      if (text !== undefined) document.update(dest, mode, [teaserOf(text, this.params.maxLength)]);
    }
  }

  override processTable(table: DocumentTable): boolean {
    const mode = this.params.updateMode;
    const teaser = (value: Value) => {
      const text = firstText(value);
      return text === undefined ? undefined : teaserOf(text, this.params.maxLength);
    };
    for (const { source, dest } of this.#pairs) mapColumn(table, source, dest, mode, teaser);
    return true;
  }
}

function teaserOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return javaTrim(text);
  for (let end = maxLength - 1; end > 0; end--) {
    if (isDelimiter(text.charCodeAt(end))) return javaTrim(text.slice(0, end));
  }
  return text.slice(0, graphemeFloor(text, maxLength));
}

/** Returns whether the character is a blank, `!`, `,`, `.` or `?`. */
function isDelimiter(code: number): boolean {
  return code === 32 || code === 33 || code === 44 || code === 46 || code === 63;
}
