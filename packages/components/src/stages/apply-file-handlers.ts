import {
  type Children,
  type Document,
  HeadraceError,
  type ParameterProblem,
  type RejectedRecord,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { decodeBase64 } from '../fields/base64.ts';
import { CsvFormat } from '../formats/csv/csv-format.ts';
import {
  checkFileHandlers,
  type FileFormat,
  FileFormats,
  FileHandlersParameter,
} from '../formats/handlers/file-handlers.ts';
import { HeldRecords } from '../formats/handlers/held-records.ts';
import { extensionOf, leafOf } from '../storage/file-uri.ts';
import { MAX_CONTENT_BYTES } from '../storage/read-whole.ts';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages } from '../storage/storages.ts';

const parameters = Type.Object({
  fileHandlers: FileHandlersParameter,
  filePathField: Type.Optional(Type.String({ default: 'file_path' })),
  fileContentField: Type.Optional(Type.String({ default: 'file_content' })),
  ...storageParameters,
});

/**
 * Reads the file that a document names, or holds, and emits a document for each of its records: the rows of a CSV file,
 * the objects of a JSON file, elements of an XML file. They go on through the later stages before the document itself,
 * which stays as it is; to keep the records alone drop it behind this stage.
 * <p>
 * The extension of the path, the text behind its last dot, says which handler reads the file; one that fits in lower
 * case will do. A document without a path, or whose extension has no handler, is left alone. If the document has the
 * field fileContentField its bytes are read (or what base64 text stands for), otherwise the file at the path: a local
 * one, <code>classpath:x</code>, which is x in the working directory, or, with the block of the provider, a URI
 * <code>s3://</code>, <code>gs://</code> or <code>https://account.blob.core.windows.net/</code>. A file of more than
 * 256 MiB fails the document; FileConnector reads files of any size.
 * <p>
 * Handlers are a map by extension. <code>csv</code>, <code>json</code>, <code>jsonl</code> and <code>xml</code> need
 * no class; json serves jsonl too, and the other way round. Another extension names one of them:
 * <code>psv { class: CSVFileHandler, separatorChar: "|" }</code>. All take <code>docIdPrefix</code>. CSV takes the
 * parameters of CSVConnector and <code>idFields</code>, several columns that make the id together; JSON takes
 * <code>idField</code>, <code>idFields</code>, <code>docIdFormat</code>, <code>whitelist</code> and
 * <code>blacklist</code> (the fields to keep, and to leave out), <code>encoding</code> and <code>onInvalidBytes</code>
 * as with CSVConnector, and XML <code>xmlRootPath</code>,
 * <code>xmlIdPath</code> or <code>xpathIdPath</code>, <code>encoding</code>, <code>onInvalidBytes</code>,
 * <code>outputField</code> and <code>skipEmptyId</code>.
 * <p>
 * A row of CSV that breaks the rules is left out with a warning. An object that cannot be read or has no id, and a file
 * that cannot be read, fail the document.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fileHandlers (Map&lt;String, Map&lt;String, Object&gt;&gt;, Required) : How files are read, by extension.</li>
 *   <li>filePathField (String, Optional) : The field with the path; of a list the first value. Defaults to file_path.</li>
 *   <li>fileContentField (String, Optional) : The field that may hold the content of the file. Defaults to file_content.</li>
 *   <li>s3 (Map, Optional) : Makes s3: paths readable. Without keys in it the credentials of the environment or the machine are taken.</li>
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
 *   <li>azure (Map, Optional) : Makes https: paths of Azure Blob Storage readable. Without credentials in it, those in AZURE_STORAGE_CONNECTION_STRING are taken.</li>
 *   <li>azure.connectionString (String, Optional) : The connection string of the account, which may name an endpoint of its own.</li>
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
 *   <li>gcp.pathToServiceKey (String, Required) : The file with the key of a service account; empty for the credentials of the machine.</li>
 *   <li>gcp.endpoint (String, Optional) : The URL of another server that speaks the protocol of Google Cloud Storage.</li>
 *   <li>gcp.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. No effect here.</li>
 *   <li>gcp.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>gcp.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>gcp.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>gcp.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>gcp.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>gcp.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 * </ul>
 */
export class ApplyFileHandlers extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Emit the rows of a CSV file that the document holds, as base64 text',
      params: { fileHandlers: { csv: { idField: 'sku', docIdPrefix: 'p-' } } },
      documents: [{ id: '1', file_path: 'prices.csv', file_content: 'c2t1LHByaWNlCkEsMTAKQiwyMAo=' }],
      output: [
        { id: 'p-A', source: 'prices.csv', filename: 'prices.csv', sku: 'A', price: '10', csvLineNumber: 1 },
        { id: 'p-B', source: 'prices.csv', filename: 'prices.csv', sku: 'B', price: '20', csvLineNumber: 2 },
        { id: '1', file_path: 'prices.csv', file_content: 'c2t1LHByaWNlCkEsMTAKQiwyMAo=' },
      ],
    },
    {
      description: 'JSON Lines: each object has its id',
      params: { fileHandlers: { json: { blacklist: ['secret'] } } },
      documents: [{ id: '1', file_path: 'x.jsonl', file_content: 'eyJpZCI6ImEiLCJ2IjoxLCJzZWNyZXQiOjJ9Cg==' }],
      output: [
        { id: 'a', v: 1 },
        { id: '1', file_path: 'x.jsonl', file_content: 'eyJpZCI6ImEiLCJ2IjoxLCJzZWNyZXQiOjJ9Cg==' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fileHandlers.size === 0) {
      yield {
        parameter: 'fileHandlers',
        message: 'fileHandlers must have at least one handler',
        hint: 'For example fileHandlers { csv {} }.',
      };
    }
    yield* checkFileHandlers(params.fileHandlers);
    yield* checkStorageSettings(params as StorageSettings);
  }

  override readonly maxInFlight = 4;
  readonly #formats: FileFormats;
  readonly #storages: Storages;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#formats = new FileFormats(params.fileHandlers, { log: context.log });
    this.#storages = new Storages(params as StorageSettings);
  }

  override process(document: Document): Promise<Children> | undefined {
    const { filePathField = 'file_path' } = this.params;
    const path = document.text(filePathField);
    if (path === undefined) return undefined;
    const extension = extensionOf(leafOf(path));
    const format = this.#formats.of(extension) ?? this.#formats.of(extension?.toLowerCase());
    return format === undefined ? undefined : this.#read(document, path, format);
  }

  override stop(): Promise<void> {
    return this.#storages.close();
  }

  async #read(document: Document, path: string, format: FileFormat): Promise<Children> {
    const bytes = await this.#bytesOf(document, path);
    const records = new HeldRecords();
    await format.publish({ path, name: leafOf(path), bytes: once(bytes) }, records);
    return records.documents({
      // A row that breaks the rules is told by its number of columns, and harmless; of an object nobody knows what it was.
      reject: (record) => this.#reject(record, format instanceof CsvFormat),
      warn: (message) => this.context.log.warn(message),
    });
  }

  async #bytesOf(document: Document, path: string): Promise<Uint8Array> {
    const { fileContentField = 'file_content' } = this.params;
    if (!document.has(fileContentField)) return this.#storages.readContent(path, MAX_CONTENT_BYTES);
    const content = document.first(fileContentField);
    const bytes = typeof content === 'string' ? decodeBase64(content) : content;
    if (bytes instanceof Uint8Array) return bytes;
    throw new HeadraceError('HR_STAGE_FAILED', `Field "${fileContentField}" holds neither bytes nor base64 text`, {
      hint: 'Remove the field to have the file read at its path.',
    });
  }

  #reject({ place, message }: RejectedRecord, isRow: boolean): void {
    if (!isRow) throw new HeadraceError('HR_RECORD_UNREADABLE', `${place}: ${message}`);
    this.context.log.warn(`${place}: ${message}; the row is left out`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
