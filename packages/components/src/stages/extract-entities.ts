import {
  type Document,
  type ParameterProblem,
  READS,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { isBlank } from '@headrace/java-text/text';
import { alphabeticUnits, foldUnits, longestHits, type TermHit } from '@headrace/text-analysis/dictionary';
import { type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { storageParameters } from '../storage/storage-parameters.ts';
import { checkEntityParameters } from '../text/dictionary/entity-parameters.ts';
import { type EntityOutput, EntityTerms, writeEntities } from '../text/dictionary/entity-terms.ts';

const parameters = Type.Object({
  dictionaries: Type.Array(Type.String(READS)),
  source: Type.Array(Type.String()),
  dest: Type.Array(Type.String()),
  ignoreCase: Type.Optional(Type.Boolean({ default: false })),
  onlyWholeWords: Type.Optional(Type.Boolean({ default: true })),
  onlyWhitespaceSeparated: Type.Optional(Type.Boolean({ default: false })),
  ignoreOverlaps: Type.Optional(Type.Boolean({ default: false })),
  stopOnHit: Type.Optional(Type.Boolean({ default: false })),
  usePayloads: Type.Optional(Type.Boolean({ default: true })),
  entityField: Type.Optional(Type.String()),
  updateMode: UpdateModeParameter,
  ...storageParameters,
});

/**
 * Finds the terms of dictionaries in texts and writes what the dictionaries say of them.
 * <p>
 * A dictionary is a CSV file in UTF-8 without a header. The first cell of a row is a term, the second, if there is one,
 * its payload (a code, a category, the preferred name); further cells are not read. White space around cells goes. Of
 * equal terms the first counts, also across dictionaries. Dictionaries are read when a run starts; a million terms take
 * about 100 MB, once for all pipeline threads.
 * <p>
 * All values of a source are searched, numbers and booleans as texts; null and objects hold nothing. Every hit is
 * written, in the order in which the hits end; of hits that end together the first in the alphabet comes first. A term
 * that occurs twice is written twice. White space inside a term is found exactly as it is written. Without a hit the
 * destination stays as it is. When several sources share one destination, the mode "overwrite" leaves the hits of the
 * last source that has any, "append" collects those of all.
 * <p>
 * Chinese, Japanese and Thai have no white space between words: use onlyWholeWords: false there.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>dictionaries (List&lt;String&gt;, Required) : Paths of the dictionaries: local paths, file: or classpath: URIs,
 *   or objects of a cloud (s3://, gs://, https://…blob.core.windows.net/), which need the block s3, gcp or azure.</li>
 *   <li>source (List&lt;String&gt;, Required) : The fields to search.</li>
 *   <li>dest (List&lt;String&gt;, Required) : The fields for what is found: as many as sources, or one for all.</li>
 *   <li>ignoreCase (Boolean, Optional) : Whether upper and lower case are the same. Terms are reported as the dictionary
 *   has them; terms that differ in case alone are all reported. Defaults to false.</li>
 *   <li>onlyWholeWords (Boolean, Optional) : Whether a term counts only where no letter stands right before or after
 *   it; digits and underscores may. Defaults to true.</li>
 *   <li>onlyWhitespaceSeparated (Boolean, Optional) : Whether a term counts only where white space, or an end of the
 *   text, stands on both sides of it. Defaults to false.</li>
 *   <li>ignoreOverlaps (Boolean, Optional) : Whether hits may not overlap: longer ones come first, then earlier ones.
 *   Defaults to false.</li>
 *   <li>stopOnHit (Boolean, Optional) : Whether only the first hit of each value is written, the one that ends first.
 *   Defaults to false.</li>
 *   <li>usePayloads (Boolean, Optional) : Whether payloads are written instead of terms; a term without one stands for
 *   itself. Defaults to true.</li>
 *   <li>entityField (String, Optional) : A field for the terms, in addition to their payloads. It needs usePayloads. By
 *   default there is none.</li>
 *   <li>updateMode (String, Optional) : What happens to a destination that exists: "overwrite", "append" or "skip".
 *   Defaults to "overwrite".</li>
 *   <li>s3 (Map, Optional) : Makes s3: paths readable. Without keys in it the credentials of the environment or the
 *   machine are taken.</li>
 *   <li>s3.accessKeyId (String, Optional) : The id of the access key; needs secretAccessKey.</li>
 *   <li>s3.secretAccessKey (String, Optional) : The secret of the access key.</li>
 *   <li>s3.region (String, Optional) : The region of the buckets. Defaults to that of the environment.</li>
 *   <li>s3.endpoint (String, Optional) : The URL of another server that speaks the protocol of S3.</li>
 *   <li>s3.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. No effect here.</li>
 *   <li>s3.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>s3.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>s3.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>s3.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>s3.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>s3.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>azure (Map, Optional) : Makes https: paths of Azure Blob Storage readable. Without credentials in it, those in
 *   AZURE_STORAGE_CONNECTION_STRING are taken.</li>
 *   <li>azure.connectionString (String, Optional) : The connection string of the account, which may name an endpoint of
 *   its own.</li>
 *   <li>azure.accountName (String, Optional) : The name of the account; needs accountKey.</li>
 *   <li>azure.accountKey (String, Optional) : The key of the account.</li>
 *   <li>azure.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. No effect here.</li>
 *   <li>azure.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>azure.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>azure.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>azure.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>azure.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>azure.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>gcp (Map, Optional) : Makes gs: paths readable.</li>
 *   <li>gcp.pathToServiceKey (String, Required) : The file with the key of a service account; empty for the credentials
 *   of the machine.</li>
 *   <li>gcp.endpoint (String, Optional) : The URL of another server that speaks the protocol of Google Cloud
 *   Storage.</li>
 *   <li>gcp.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. No effect here.</li>
 *   <li>gcp.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>gcp.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>gcp.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>gcp.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>gcp.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>gcp.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 * </ul>
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
      description: 'What stands beside a whole word is no letter; a digit is none',
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
    this.#output = {
      usePayloads: params.usePayloads as boolean,
      entityField: params.entityField,
      updateMode: params.updateMode as UpdateMode,
    };
  }

  override async reach(): Promise<void> {
    await this.start();
    this.stop();
  }

  override async start(): Promise<void> {
    const { dictionaries, ignoreCase, onlyWholeWords, onlyWhitespaceSeparated, s3, azure, gcp } = this.params;
    // What stands between white space stands between characters that are no letters.
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
    this.#terms?.close();
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

/** Adds the hit, and those of the terms that differ from its term in case alone. */
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
