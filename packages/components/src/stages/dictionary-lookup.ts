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
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { checkStorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { checkDictionary } from '../text/dictionary/dictionary-file.ts';
import { LookupDictionary } from '../text/dictionary/lookup-dictionary.ts';

const parameters = Type.Object({
  source: Type.Array(Type.String()),
  dest: Type.Array(Type.String()),
  dictPath: Type.String(READS),
  usePayloads: Type.Optional(Type.Boolean({ default: true })),
  ignoreCase: Type.Optional(Type.Boolean({ default: false })),
  updateMode: UpdateModeParameter,
  setOnly: Type.Optional(Type.Boolean({ default: false })),
  useAnyMatch: Type.Optional(Type.Boolean({ default: false })),
  ignoreMissingSource: Type.Optional(Type.Boolean({ default: false })),
  ...storageParameters,
});

/**
 * Looks whole values up in a dictionary and writes what it says of them, or whether it has them.
 * <p>
 * The dictionary is a CSV file in UTF-8 without a header. The first cell of a row is a key, all others are its
 * payloads, empty cells too; a key alone is its own payload. White space around cells goes. Of equal keys the last one
 * counts. The dictionary is read when a run starts; a million keys take about 70 MB, once for all pipeline threads.
 * <p>
 * All values of a source are looked up, in their order, numbers and booleans as texts. The payloads of all that are
 * found are written; values that are not found are left out, and when none is found the destination stays as it
 * is. When several sources share one destination, the mode "overwrite" leaves what was found for the last source with a
 * hit, "append" collects the payloads of all.
 * <p>
 * With setOnly the dictionary is a set, a key in each row, and the destination becomes true when it has every value of
 * the source, else false. An empty list has no value that is missing: true. With useAnyMatch one value is enough. When
 * several sources share one destination, all of them must be true, or with useAnyMatch one.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>source (List&lt;String&gt;, Required) : The fields with the values.</li>
 *   <li>dest (List&lt;String&gt;, Required) : The fields for what is found: as many as sources, or one for all.</li>
 *   <li>dictPath (String, Required) : The path of the dictionary: a local path, a file: or classpath: URI, or an object
 *   of a cloud (s3://, gs://, https://…blob.core.windows.net/), which needs the block s3, gcp or azure.</li>
 *   <li>usePayloads (Boolean, Optional) : Whether the payloads are written; otherwise the values that were found. Defaults
 *   to true.</li>
 *   <li>ignoreCase (Boolean, Optional) : Whether upper and lower case are the same. Values are written in lower case
 *   then, payloads as they are. Defaults to false.</li>
 *   <li>updateMode (String, Optional) : What happens to a destination that exists: "overwrite", "append" or "skip".
 *   Defaults to "overwrite", and cannot be another with setOnly.</li>
 *   <li>setOnly (Boolean, Optional) : Whether to write true or false instead. Defaults to false.</li>
 *   <li>useAnyMatch (Boolean, Optional) : Whether one value in the set is enough. Counts with setOnly only. Defaults to
 *   false.</li>
 *   <li>ignoreMissingSource (Boolean, Optional) : What a source that is missing counts as: true or false. Counts with
 *   setOnly only. Defaults to false.</li>
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
      description: 'Whether all tags of a document are known ones',
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

  override async reach(): Promise<void> {
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

  override stop(): void {
    this.#dictionary?.close();
    this.#dictionary = undefined;
  }

  #look(document: Document): void {
    const { usePayloads, ignoreCase, updateMode } = this.params;
    const dictionary = this.#dictionary as LookupDictionary;
    for (const { source, dest } of this.#pairs) {
      const value = document.get(source);
      if (value === undefined) continue;
      const found: string[] = [];
      for (const item of Array.isArray(value) ? value : [value]) {
        const text = textOf(item);
        if (text === null) continue;
        const key = ignoreCase ? text.toLowerCase() : text;
        const entry = dictionary.find(key);
        if (entry < 0) continue;
        if (usePayloads) found.push(...dictionary.payloads(entry));
        else found.push(key);
      }
      document.update(dest, updateMode as UpdateMode, found);
    }
  }

  #test(document: Document): void {
    const results = new Map<string, boolean>();
    const hits = new Set<string>();
    for (const { source, dest } of this.#pairs) {
      const values = document.has(source) ? document.values(source) : undefined;
      if (this.params.useAnyMatch && values?.some(this.#hasValue)) hits.add(dest);
      const all = values === undefined ? (this.params.ignoreMissingSource as boolean) : values.every(this.#hasValue);
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
