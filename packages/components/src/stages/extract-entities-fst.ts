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
import { leftmostHits, letterCodePoints, type TermHit } from '@headrace/text-analysis/dictionary';
import { type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { checkEntityParameters, entityOutput, entityParameters } from '../text/dictionary/entity-parameters.ts';
import { type EntityOutput, EntityTerms, writeEntities } from '../text/dictionary/entity-terms.ts';

const parameters = Type.Object({
  ...entityParameters,
  /** Whether letter case is ignored. Terms are then reported in lower case. */
  ignoreCase: Type.Boolean({ default: false }),
  /** Whether matches may not overlap: from left to right, the longest term at each place is used. */
  ignoreOverlaps: Type.Boolean({ default: false }),
  /** Whether the search in a field ends at the first place with a match. All terms that begin there count. */
  stopOnHit: Type.Boolean({ default: false }),
  /** A promise that the rows are sorted. It has no effect. */
  dictsSorted: Type.Boolean({ default: false }),
});

/**
 * Finds the terms of dictionaries in texts and writes their payloads.
 *
 * It works as ExtractEntities, with these differences. Matches are written in the order in which they begin, shorter
 * ones first. ignoreOverlaps reads from left to right and uses the longest term at each place. stopOnHit ends the
 * search in a whole field. With ignoreCase, terms are reported in lower case, and terms that differ only in case are
 * one. A word ends before a character that is not a letter, also beyond 16 bits. For both stages, a dictionary may have
 * millions of terms: a million takes about 100 MB, shared by all pipeline threads.
 *
 * A dictionary is a CSV file in UTF-8 without a header. The first cell of a row is a term, the second its payload, if
 * it exists; other cells are not read. White space around cells is removed. If a term occurs twice, the first one
 * counts, also across dictionaries. Dictionaries are read when a run starts.
 *
 * All values of a source are searched, numbers and booleans as texts. Null and objects contain nothing. Without a match
 * the destination does not change. If several sources share one destination, the mode "overwrite" keeps the matches of
 * the last source with a match, "append" collects those of all.
 */
export class ExtractEntitiesFST extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The cities of a text, the longest name at each place',
      needs: 'cities.csv with the rows "New York,US-NY" and "York,GB-YOR"',
      params: {
        dictionaries: ['cities.csv'],
        source: ['text'],
        dest: ['cities'],
        ignoreCase: true,
        ignoreOverlaps: true,
      },
      documents: [{ id: '1', text: 'From YORK to New York' }],
      output: [{ id: '1', text: 'From YORK to New York', cities: ['GB-YOR', 'US-NY'] }],
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
    const { dictionaries, ignoreCase, onlyWholeWords, s3, azure, gcp } = this.params;
    this.#terms = await EntityTerms.open(
      {
        dictionaries,
        storage: { s3, azure, gcp },
        kind: `fst/${ignoreCase}/${onlyWholeWords}`,
        syntax: { letters: onlyWholeWords ? letterCodePoints : undefined, fold: ignoreCase ? lowerCase : asItIs },
        reportFolded: true,
      },
      this.context,
    );
  }

  override process(document: Document): void {
    for (const { source, dest } of this.#pairs) {
      const value = document.get(source);
      if (value === undefined) continue;
      const found: number[] = [];
      if (!Array.isArray(value)) this.#search(value, found);
      else {
        for (const item of value) {
          this.#search(item, found);
          if (this.params.stopOnHit && found.length > 0) break;
        }
      }
      writeEntities(document, dest, this.#terms as EntityTerms, found, this.#output);
    }
  }

  override stop(): void {
    this.#terms = undefined;
  }

  #search(value: Value, found: number[]): void {
    const text = textOf(value);
    if (text === null || text === '') return;
    const { ignoreCase, ignoreOverlaps, stopOnHit } = this.params;
    const { trie } = this.#terms as EntityTerms;
    const hits = trie.find(ignoreCase ? text.toLowerCase() : text, stopOnHit ? firstStart : undefined);
    for (const { entry } of ignoreOverlaps ? leftmostHits(hits) : hits) found.push(entry);
  }
}

function firstStart(hits: readonly TermHit[]): number {
  return (hits[0] as TermHit).start;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function asItIs(text: string): string {
  return text;
}
