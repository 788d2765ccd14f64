import nlp from 'compromise';
import type { Entity, EntityEngine } from './entity-engine.ts';
import type { EntityType } from './entity-types.ts';

interface Match {
  readonly text: string;
  readonly offset: { readonly start: number };
}

/** The types of the library do not allow `terms: false`, which omits the list of words. */
const OPTIONS: object = { text: true, offset: true, terms: false };
/** Punctuation around a name, and a possessive ending: compromise counts both as parts of the word. */
const BEFORE = /^[^\p{L}\p{N}]+/u;
const AFTER = /(?:['’]s?)?[^\p{L}\p{N}]*$/u;
/** An abbreviation with periods between its letters, such as U.S, which ends with a period. */
const ABBREVIATION = /(?:^|[^\p{L}])\p{L}(?:\.\p{L})+$/u;

/** Finds names of people, places and organizations in English texts with rules and word lists. */
export class CompromiseEngine implements EntityEngine {
  readonly #types: ReadonlyMap<string, EntityType>;

  /** @param types the types of names to find, by field */
  constructor(types: ReadonlyMap<string, EntityType>) {
    this.#types = types;
  }

  find(texts: readonly string[]): Map<string, Entity[][]> {
    const found = new Map<string, Entity[][]>([...this.#types.keys()].map((field) => [field, []]));
    for (const text of texts) {
      const entities = new Map<string, Entity[]>([...this.#types.keys()].map((field) => [field, []]));
      for (const { start, end } of partsOf(text)) {
        const document = nlp(text.slice(start, end));
        for (const [field, type] of this.#types) {
          const matches =
            type === 'person' ? document.people() : type === 'location' ? document.places() : document.organizations();
          const names = (matches.json(OPTIONS) as Match[]).flatMap(entityOf);
          entities
            .get(field)
            ?.push(...names.map((name) => ({ ...name, start: start + name.start, end: start + name.end })));
        }
      }
      for (const [field, names] of entities) found.get(field)?.push(names);
    }
    return found;
  }
}

/** The time of compromise grows with the square of the length for some texts, such as long runs of blanks or points. */
const PART_CHARACTERS = 10_000;
/** Where a long text is divided, best first. */
const BORDERS = ['\n\n', '. ', '\n', ' '];

/** Yields the parts of a text without white space before them. Almost all texts are one part. */
function* partsOf(text: string): Iterable<{ readonly start: number; readonly end: number }> {
  const notBlank = /\S/g;
  for (let at = 0; ; ) {
    notBlank.lastIndex = at;
    const start = notBlank.exec(text)?.index;
    if (start === undefined) return;
    const most = start + PART_CHARACTERS;
    const borders = BORDERS.map((border) => text.lastIndexOf(border, most) + border.length);
    at = most >= text.length ? text.length : (borders.find((border) => border > start + PART_CHARACTERS / 2) ?? most);
    yield { start, end: at };
  }
}

function entityOf({ text, offset }: Match): Entity[] {
  const before = BEFORE.exec(text)?.[0].length ?? 0;
  let name = text.slice(before).replace(AFTER, '');
  if (ABBREVIATION.test(name) && text.startsWith('.', before + name.length)) name += '.';
  const start = offset.start + before;
  return name === '' ? [] : [{ name: name.replace(/\s+/g, ' '), start, end: start + name.length }];
}
