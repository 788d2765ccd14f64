import {
  COERCED,
  type Column,
  type Document,
  type DocumentTable,
  joinedText,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
  updateColumn,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { firstText } from '../fields/first-text.ts';

const parameters = Type.Object({
  /** The field to write. */
  dest: Type.String(),
  /** The template. */
  formatString: Type.String(),
  /** Texts for fields without a value, by the name of the field. */
  defaultInputs: Type.Optional(MapOf(Type.String(), COERCED)),
  /** What happens to a destination that exists: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

/** A placeholder in the template, which the value of a field replaces. */
interface Placeholder {
  readonly field: string;
  /** The text for a field without a value. */
  readonly otherwise: string;
}

/**
 * Writes a text that a template builds from fields.
 *
 * In the template, {city} is replaced by the first value of the field city, as text. If the field is missing, null or
 * an empty list, its entry in defaultInputs is used, otherwise the text after :- in {city:-unknown}, otherwise the
 * placeholder stays. ${ writes a brace that starts no placeholder. The text is always written. Placeholders in the
 * values of fields are not replaced. An object has no text and is replaced by nothing. The engine's fields, such as id,
 * may be read but not written.
 */
export class Concatenate extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'A label, with a default for one of its parts',
      params: { dest: 'label', formatString: '{city}, {country}', defaultInputs: { country: 'somewhere' } },
      documents: [
        { id: '1', city: 'Lyon', country: 'France' },
        { id: '2', city: 'Oz' },
      ],
      output: [
        { id: '1', city: 'Lyon', country: 'France', label: 'Lyon, France' },
        { id: '2', city: 'Oz', label: 'Oz, somewhere' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('dest', params.dest);
    for (const part of parseTemplate(params.formatString, new Map())) {
      if (typeof part === 'string' || part.field !== '') continue;
      yield {
        parameter: 'formatString',
        message: 'formatString has a placeholder without the name of a field',
        hint: 'Name a field between the braces, or write ${} for the two braces themselves.',
      };
    }
  }

  readonly #parts: readonly (string | Placeholder)[];
  readonly #updateMode: UpdateMode;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#parts = parseTemplate(params.formatString, params.defaultInputs ?? new Map());
    this.#updateMode = params.updateMode;
  }

  override process(document: Document): void {
    let text = '';
    for (const part of this.#parts) {
      text += typeof part === 'string' ? part : (document.text(part.field) ?? part.otherwise);
    }
    document.update(this.params.dest, this.#updateMode, [joinedText(text)]);
  }

  override processTable(table: DocumentTable): boolean {
    const columns: (Column | undefined)[] = [];
    for (const part of this.#parts) columns.push(typeof part === 'string' ? undefined : table.column(part.field));
    updateColumn(table, this.params.dest, this.#updateMode, fill(this.#parts, columns, table.count));
    return true;
  }
}

/** Returns the text for each row. Separate, so that the compiler optimizes a small function. */
function fill(
  parts: readonly (string | Placeholder)[],
  columns: readonly (Column | undefined)[],
  count: number,
): string[] {
  const texts: string[] = new Array(count);
  for (let row = 0; row < count; row++) {
    let text = '';
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as string | Placeholder;
      text += typeof part === 'string' ? part : (firstText(columns[i]?.[row]) ?? part.otherwise);
    }
    texts[row] = joinedText(text);
  }
  return texts;
}

function parseTemplate(template: string, defaults: ReadonlyMap<string, string>): (string | Placeholder)[] {
  const parts: (string | Placeholder)[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf('{', at);
    if (open < 0) break;
    if (template[open - 1] === '$') {
      parts.push(template.slice(at, open - 1), '{');
      at = open + 1;
      continue;
    }
    const close = template.indexOf('}', open);
    if (close < 0) break;
    parts.push(template.slice(at, open), parsePlaceholder(template.slice(open + 1, close), defaults));
    at = close + 1;
  }
  parts.push(template.slice(at));
  return parts.filter((part) => part !== '');
}

function parsePlaceholder(inside: string, defaults: ReadonlyMap<string, string>): Placeholder {
  const divider = inside.indexOf(':-');
  const brace = inside.indexOf('{');
  // A brace before the divider would start a nested placeholder. Nested placeholders are not supported.
  const divided = divider >= 0 && (brace < 0 || divider < brace);
  const field = divided ? inside.slice(0, divider) : inside;
  return { field, otherwise: defaults.get(field) ?? (divided ? inside.slice(divider + 2) : `{${inside}}`) };
}
