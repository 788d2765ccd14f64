import {
  type Document,
  type DocumentTable,
  mapColumn,
  type ParameterProblem,
  READS,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { checkStorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { checkDictionary } from '../text/dictionary/dictionary-file.ts';
import { LookupDictionary } from '../text/dictionary/lookup-dictionary.ts';

const parameters = Type.Object({
  /** The fields with the values. */
  source: Type.Array(Type.String()),
  /** The fields for the results: one for each source, or one for all. */
  dest: Type.Array(Type.String()),
  /**
   * The path of the dictionary: a local path, a file: or classpath: URI, or an object of a cloud (s3://, gs://,
   * https://…blob.core.windows.net/), which needs the block s3, gcp or azure.
   */
  dictPath: Type.String(READS),
  /** Whether the payloads are written. Otherwise the values that were found are written. */
  usePayloads: Type.Boolean({ default: true }),
  /** Whether letter case is ignored. Values are then written in lower case, payloads unchanged. */
  ignoreCase: Type.Boolean({ default: false }),
  /**
   * What happens to a destination that exists: "overwrite", "append" or "skip". With setOnly, only "overwrite" is
   * possible.
   */
  updateMode: UpdateModeParameter,
  /** Whether to write true or false instead. */
  setOnly: Type.Boolean({ default: false }),
  /** Whether one value in the set is enough. Requires setOnly. */
  useAnyMatch: Type.Boolean({ default: false }),
  /** The result for a source that is missing: true or false. Requires setOnly. */
  ignoreMissingSource: Type.Boolean({ default: false }),
  ...storageParameters,
});

/**
 * Looks up values in a dictionary, and writes their payloads or whether the dictionary has them.
 *
 * The dictionary is a CSV file in UTF-8 without a header. The first cell of a row is a key, all others are its
 * payloads, including empty cells. A key without other cells is its own payload. White space around cells is removed.
 * If a key occurs twice, the last row counts. The dictionary is read when a run starts. A million keys take about 70
 * MB, shared by all pipeline threads.
 *
 * All values of a source are looked up in order, numbers and booleans as texts. The payloads of all values that are
 * found are written. If none is found, the destination does not change. If several sources share one destination, the
 * mode "overwrite" keeps the results of the last source with a result, "append" collects the payloads of all.
 *
 * With setOnly, the dictionary is a set with a key in each row. The destination becomes true if the set has every value
 * of the source, otherwise false. An empty list becomes true, because no value is missing. With useAnyMatch one value
 * is enough. If several sources share one destination, all of them must be true, or one with useAnyMatch.
 */
export class DictionaryLookup extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Names of countries for their codes',
      needs: 'countries.csv with the rows "de,Germany" and "fr,France"',
      params: { source: ['country'], dest: ['country_name'], dictPath: 'countries.csv', ignoreCase: true },
      documents: [
        { id: '1', country: ['DE', 'fr'] },
        { id: '2', country: 'xx' },
      ],
      output: [
        { id: '1', country: ['DE', 'fr'], country_name: ['Germany', 'France'] },
        { id: '2', country: 'xx' },
      ],
    },
    {
      description: 'Whether all tags of a document are in a list',
      needs: 'tags.csv with the rows "news" and "sport"',
      params: { source: ['tags'], dest: ['known'], dictPath: 'tags.csv', setOnly: true },
      documents: [{ id: '1', tags: ['news', 'gossip'] }],
      output: [{ id: '1', tags: ['news', 'gossip'], known: false }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    yield* checkStorageSettings(params);
    yield* checkDictionary('dictPath', params.dictPath, params);
    if (params.setOnly && params.updateMode !== 'overwrite') {
      yield { parameter: 'updateMode', message: 'With setOnly, updateMode must be "overwrite"' };
    }
    for (const parameter of ['useAnyMatch', 'ignoreMissingSource'] as const) {
      if (!params.setOnly && params[parameter]) {
        yield { parameter, severity: 'warning', message: `${parameter} has no effect without setOnly` };
      }
    }
  }

  readonly #pairs: readonly FieldPair[];
  #dictionary: LookupDictionary | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
  }

  override async checkAccess(): Promise<void> {
    await this.start();
    this.stop();
  }

  override async start(): Promise<void> {
    const { dictPath, ignoreCase, setOnly, s3, azure, gcp } = this.params;
    this.#dictionary = await LookupDictionary.open(
      { path: dictPath, storage: { s3, azure, gcp }, ignoreCase: ignoreCase as boolean, isSet: setOnly as boolean },
      this.context,
    );
  }

  override process(document: Document): void {
    if (this.params.setOnly) this.#test(document);
    else this.#look(document);
  }

  override processTable(table: DocumentTable): boolean {
    if (this.params.setOnly) return false;
    const mode = this.params.updateMode;
    for (const { source, dest } of this.#pairs) mapColumn(table, source, dest, mode, (value) => this.#resultOf(value));
    return true;
  }

  override stop(): void {
    this.#dictionary = undefined;
  }

  #look(document: Document): void {
    for (const { source, dest } of this.#pairs) {
      const value = document.get(source);
      if (value !== undefined) document.update(dest, this.params.updateMode, this.#entriesOf(value));
    }
  }

  /** Returns the entries of the dictionary for a value of a field. */
  #entriesOf(value: Value): string[] {
    const found: string[] = [];
    for (const item of Array.isArray(value) ? value : [value]) {
      const result = this.#resultOf(item);
      if (typeof result === 'string') found.push(result);
      else if (result !== undefined) found.push(...result);
    }
    return found;
  }

  /** Returns the same without a list, if there is at most one entry. */
  #resultOf(value: Value): string | readonly string[] | undefined {
    if (Array.isArray(value)) return this.#entriesOf(value);
    const text = textOf(value);
    if (text === null) return undefined;
    const key = this.params.ignoreCase ? text.toLowerCase() : text;
    const dictionary = this.#dictionary as LookupDictionary;
    const entry = dictionary.find(key);
    if (entry < 0 || !this.params.usePayloads) return entry < 0 ? undefined : key;
    const payloads = dictionary.payloads(entry);
    // The list of the dictionary must not become the value of a field, which can be changed.
    return payloads.length === 1 ? payloads[0] : [...payloads];
  }

  #test(document: Document): void {
    const results = new Map<string, boolean>();
    const hits = new Set<string>();
    for (const { source, dest } of this.#pairs) {
      const values = document.has(source) ? document.values(source) : undefined;
      if (this.params.useAnyMatch && values?.some(this.#hasValue)) hits.add(dest);
      const all = values === undefined ? this.params.ignoreMissingSource : values.every(this.#hasValue);
      results.set(dest, (results.get(dest) ?? true) && all);
    }
    for (const [dest, all] of results) document.set(dest, all || hits.has(dest));
  }

  readonly #hasValue = (value: Value): boolean => {
    const text = textOf(value);
    if (text === null) return false;
    return (this.#dictionary as LookupDictionary).find(this.params.ignoreCase ? text.toLowerCase() : text) >= 0;
  };
}
