import {
  type Document,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
} from '@headrace/engine';
import { javaTrim } from '@headrace/java-text/text';
import { graphemeFloor } from '@headrace/text-analysis/letters';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';

const parameters = Type.Object({
  source: Type.Array(Type.String()),
  dest: Type.Array(Type.String()),
  maxLength: Type.Integer({ minimum: 1 }),
  updateMode: UpdateModeParameter,
});

/**
 * Shortens texts for display, between words where possible.
 * <p>
 * A text that is not longer than maxLength stays whole. A longer one ends before the last blank, full stop, question mark,
 * exclamation mark or comma among its first maxLength characters; that character itself is left out. A text without
 * one is cut at maxLength, but never inside a character as readers see it: an accent stays with its letter, an emoji or a
 * flag is kept or left out whole. Lengths count UTF-16 units, in which most characters are one and emoji two or more.
 * White space at both ends is removed, unless the cut was inside a word.
 * <p>
 * Of a list the first value is taken, as text: an object has none and gives an empty teaser. A missing field, null and
 * an empty list give no teaser.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>source (List&lt;String&gt;, Required) : The fields to read.</li>
 *   <li>dest (List&lt;String&gt;, Required) : The fields for the teasers, one for each source, or one for all. A source may
 *   be its own destination.</li>
 *   <li>maxLength (Integer, Required) : The greatest length of a teaser, at least 1.</li>
 *   <li>updateMode (String, Optional) : What happens to a destination that exists: "overwrite" replaces its values,
 *   "append" adds to them, "skip" keeps them. With one destination for several sources, "overwrite" leaves the teaser of
 *   the last source that has one. Defaults to "overwrite".</li>
 * </ul>
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
    const mode = this.params.updateMode as UpdateMode;
    for (const { source, dest } of this.#pairs) {
      const text = document.text(source);
      if (text !== undefined) document.update(dest, mode, [teaserOf(text, this.params.maxLength)]);
    }
  }
}

function teaserOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return javaTrim(text);
  for (let end = maxLength - 1; end > 0; end--) {
    if (isDelimiter(text.charCodeAt(end))) return javaTrim(text.slice(0, end));
  }
  return text.slice(0, graphemeFloor(text, maxLength));
}

/** One of ` `, `!`, `,`, `.` and `?`. */
function isDelimiter(code: number): boolean {
  return code === 32 || code === 33 || code === 44 || code === 46 || code === 63;
}
