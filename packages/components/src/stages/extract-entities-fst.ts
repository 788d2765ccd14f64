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
import { leftmostHits, letterCodePoints, type TermHit } from '@headrace/text-analysis/dictionary';
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
  ignoreOverlaps: Type.Optional(Type.Boolean({ default: false })),
  stopOnHit: Type.Optional(Type.Boolean({ default: false })),
  usePayloads: Type.Optional(Type.Boolean({ default: true })),
  entityField: Type.Optional(Type.String()),
  dictsSorted: Type.Optional(Type.Boolean({ default: false })),
  updateMode: UpdateModeParameter,
  ...storageParameters,
});

/**
 * Finds the terms of dictionaries in texts and writes what the dictionaries say of them.
 * <p>
 * It does what ExtractEntities does, with these differences: hits are written in the order in which they begin, shorter
 * ones first; ignoreOverlaps reads from left to right and takes the longest term at each place; stopOnHit ends the
 * search in a whole field; with ignoreCase terms are reported in lower case, and terms that differ in case alone are one.
 * A word ends where the next character, of any plane, is not a letter. For both stages a dictionary may have millions
 * of terms: a million takes about 100 MB, once for all pipeline threads.
 * <p>
 * A dictionary is a CSV file in UTF-8 without a header. The first cell of a row is a term, the second, if there is one,
 * its payload; further cells are not read. White space around cells goes. Of equal terms the first counts, also across
 * dictionaries. Dictionaries are read when a run starts.
 * <p>
 * All values of a source are searched, numbers and booleans as texts; null and objects hold nothing. Without a hit the
 * destination stays as it is. When several sources share one destination, the mode "overwrite" leaves the hits of the
 * last source that has any, "append" collects those of all.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>dictionaries (List&lt;String&gt;, Required) : Paths of the dictionaries: local paths, file: or classpath: URIs,
 *   or objects of a cloud (s3://, gs://, https://…blob.core.windows.net/), which need the block s3, gcp or azure.</li>
 *   <li>source (List&lt;String&gt;, Required) : The fields to search.</li>
 *   <li>dest (List&lt;String&gt;, Required) : The fields for what is found: as many as sources, or one for all.</li>
 *   <li>ignoreCase (Boolean, Optional) : Whether upper and lower case are the same. Terms are reported in lower case
 *   then. Defaults to false.</li>
 *   <li>onlyWholeWords (Boolean, Optional) : Whether a term counts only where no letter stands right before or after
 *   it; digits and underscores may. Defaults to true.</li>
 *   <li>ignoreOverlaps (Boolean, Optional) : Whether hits may not overlap: from left to right the longest term at each
 *   place is taken. Defaults to false.</li>
 *   <li>stopOnHit (Boolean, Optional) : Whether the search in a field ends at the first place with a hit; all terms that
 *   begin there count. Defaults to false.</li>
 *   <li>usePayloads (Boolean, Optional) : Whether payloads are written instead of terms; a term without one stands for
 *   itself. Defaults to true.</li>
 *   <li>entityField (String, Optional) : A field for the terms, in addition to their payloads. It needs usePayloads. By
 *   default there is none.</li>
 *   <li>dictsSorted (Boolean, Optional) : A promise that the rows are sorted, which nothing depends on here. Defaults to
 *   false.</li>
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
    this.#terms?.close();
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
