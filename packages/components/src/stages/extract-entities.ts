import {
  type Document,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type Value,
} from '@headrace/engine';
import { isBlank } from '@headrace/languages/java/text';
import { alphabeticUnits, foldUnits, longestHits, type TermHit } from '@headrace/text-analysis/dictionary';
import { type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { checkEntityParameters, entityOutput, entityParameters } from '../text/dictionary/entity-parameters.ts';
import { type EntityOutput, EntityTerms, writeEntities } from '../text/dictionary/entity-terms.ts';

const parameters = Type.Object({
  ...entityParameters,
  /**
   * Whether letter case is ignored. Terms are reported as in the dictionary; terms that differ only in case are all
   * reported.
   */
  ignoreCase: Type.Boolean({ default: false }),
  /** Whether a term matches only between white space or the ends of the text. */
  onlyWhitespaceSeparated: Type.Boolean({ default: false }),
  /** Whether matches may not overlap: longer ones win, then earlier ones. */
  ignoreOverlaps: Type.Boolean({ default: false }),
  /** Whether only the first match of each value is written, the one that ends first. */
  stopOnHit: Type.Boolean({ default: false }),
});

/**
 * Finds the terms of dictionaries in texts and writes their payloads.
 *
 * A dictionary is a CSV file in UTF-8 without a header. The first cell of a row is a term, the second its payload, if
 * it exists (a code, a category, the preferred name); other cells are not read. White space around cells is removed. If
 * a term occurs twice, the first one counts, also across dictionaries. Dictionaries are read when a run starts. A
 * million terms take about 100 MB, shared by all pipeline threads.
 *
 * All values of a source are searched, numbers and booleans as texts. Null and objects contain nothing. Every match is
 * written, in the order in which the matches end; matches that end together are in alphabetical order. A term that
 * occurs twice is written twice. White space inside a term must match exactly. Without a match the destination does not
 * change. If several sources share one destination, the mode "overwrite" keeps the matches of the last source with a
 * match, "append" collects those of all.
 *
 * Chinese, Japanese and Thai have no white space between words: use onlyWholeWords: false there.
 */
export class ExtractEntities extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Codes of the cities in a text, and the names that were found',
      needs: 'cities.csv with the rows "New York,US-NY" and "York,GB-YOR"',
      params: {
        dictionaries: ['cities.csv'],
        source: ['text'],
        dest: ['cities'],
        ignoreCase: true,
        ignoreOverlaps: true,
        entityField: 'names',
      },
      documents: [{ id: '1', text: 'From YORK to New York' }],
      output: [{ id: '1', text: 'From YORK to New York', cities: ['GB-YOR', 'US-NY'], names: ['York', 'New York'] }],
    },
    {
      description: 'No letter is directly before or after a whole word. Digits are not letters',
      needs: 'cities.csv with the rows "New York,US-NY" and "York,GB-YOR"',
      params: { dictionaries: ['cities.csv'], source: ['text'], dest: ['cities'] },
      documents: [
        { id: '1', text: 'York2 and _York' },
        { id: '2', text: 'Yorkshire' },
      ],
      output: [
        { id: '1', text: 'York2 and _York', cities: ['GB-YOR', 'GB-YOR'] },
        { id: '2', text: 'Yorkshire' },
      ],
    },
  ];

  static override check(params: Static<typeof parameters>): Iterable<ParameterProblem> {
    return checkEntityParameters(params);
  }

  readonly #pairs: readonly FieldPair[];
  readonly #output: EntityOutput;
  #terms: EntityTerms | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#output = entityOutput(params);
  }

  override async checkAccess(): Promise<void> {
    await this.start();
    this.stop();
  }

  override async start(): Promise<void> {
    const { dictionaries, ignoreCase, onlyWholeWords, onlyWhitespaceSeparated, s3, azure, gcp } = this.params;
    // A term between white space is also a whole word, because white space is not a letter.
    const wholeWords = onlyWholeWords || onlyWhitespaceSeparated;
    this.#terms = await EntityTerms.open(
      {
        dictionaries,
        storage: { s3, azure, gcp },
        kind: `entities/${ignoreCase}/${wholeWords}`,
        syntax: { letters: wholeWords ? alphabeticUnits : undefined, fold: ignoreCase ? foldUnits : asItIs },
        reportFolded: false,
      },
      this.context,
    );
  }

  override process(document: Document): void {
    for (const { source, dest } of this.#pairs) {
      const value = document.get(source);
      if (value === undefined) continue;
      const found: number[] = [];
      if (Array.isArray(value)) for (const item of value) this.#search(item, found);
      else this.#search(value, found);
      writeEntities(document, dest, this.#terms as EntityTerms, found, this.#output);
    }
  }

  override stop(): void {
    this.#terms = undefined;
  }

  #search(value: Value, found: number[]): void {
    const text = textOf(value);
    if (text === null || text === '') return;
    const { ignoreCase, ignoreOverlaps, stopOnHit, onlyWhitespaceSeparated } = this.params;
    const terms = this.#terms as EntityTerms;
    const isAccepted = (hit: TermHit) => !onlyWhitespaceSeparated || isSeparated(text, hit);
    const lastStart = (hits: readonly TermHit[]) => earliestEnd(hits.filter(isAccepted)) - 1;
    const hits = terms.trie.find(ignoreCase ? foldUnits(text) : text, stopOnHit ? lastStart : undefined);
    if (hits.length === 0) return;

    const named: NamedHit[] = [];
    for (const hit of hits) if (isAccepted(hit)) addVariants(hit, terms, named);
    named.sort((a, b) => a.end - b.end || (a.term < b.term ? -1 : a.term > b.term ? 1 : 0));
    const kept = stopOnHit ? named.slice(0, 1) : ignoreOverlaps ? longestHits(named, text.length) : named;
    for (const { entry } of kept) found.push(entry);
  }
}

interface NamedHit extends TermHit {
  readonly term: string;
}

/** Adds the match, and one match for each term that differs from its term only in case. */
function addVariants({ start, end, entry }: TermHit, terms: EntityTerms, named: NamedHit[]): void {
  for (let variant = entry; variant >= 0; variant = terms.trie.variant(variant)) {
    named.push({ start, end, entry: variant, term: terms.term(variant) });
  }
}

function earliestEnd(hits: readonly TermHit[]): number {
  return hits.reduce((earliest, { end }) => Math.min(earliest, end), Number.POSITIVE_INFINITY);
}

function isSeparated(text: string, { start, end }: TermHit): boolean {
  return (start === 0 || isBlank(text.charAt(start - 1))) && (end === text.length || isBlank(text.charAt(end)));
}

function asItIs(text: string): string {
  return text;
}
