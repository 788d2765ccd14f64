import { type Document, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { MAX_CONTENT_BYTES } from '../storage/read-whole.ts';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages } from '../storage/storages.ts';

const parameters = Type.Object({
  filePathField: Type.Optional(Type.String({ default: 'file_path' })),
  fileContentField: Type.Optional(Type.String({ default: 'file_content' })),
  ...storageParameters,
});

/**
 * Reads the file whose path is in a field, and puts its bytes into another field. In JSON they are base64 text.
 * <p>
 * A path is a local one, relative to the working directory, or <code>classpath:x</code>, which is x in the working
 * directory, or a URI: <code>file:///...</code>, and with the block of the provider <code>s3://bucket/key</code>,
 * <code>gs://bucket/name</code> or <code>https://account.blob.core.windows.net/container/name</code>. Pages of the web
 * are for the stage FetchUri.
 * <p>
 * A document without the field, or with null in it, is left alone. A file that cannot be read, a folder, and a file of
 * more than 256 MiB fail the document. Several files are read at a time; documents keep their order.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>filePathField (String, Optional) : The field with the path; of a list the first value. Defaults to file_path.</li>
 *   <li>fileContentField (String, Optional) : The field for the bytes; what it held is replaced. Defaults to file_content.</li>
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
export class FetchFileContent extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Read a local file; documents without a path pass',
      params: { filePathField: 'path', fileContentField: 'bytes' },
      documents: [
        { id: '1', path: 'examples/data/inbox/note.txt' },
        { id: '2', title: 'no path' },
      ],
      output: [
        { id: '1', path: 'examples/data/inbox/note.txt', bytes: 'VGhlIGdhdGUgb3BlbnMgYXQgbmluZS4K' },
        { id: '2', title: 'no path' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('fileContentField', params.fileContentField ?? 'file_content');
    yield* checkStorageSettings(params as StorageSettings);
  }

  override readonly maxInFlight = 16;
  readonly #storages = new Storages(this.params as StorageSettings);

  override process(document: Document): Promise<void> | undefined {
    const { filePathField = 'file_path' } = this.params;
    const path = document.text(filePathField);
    return path === undefined ? undefined : this.#fetch(document, path);
  }

  override stop(): Promise<void> {
    return this.#storages.close();
  }

  async #fetch(document: Document, path: string): Promise<void> {
    const { fileContentField = 'file_content' } = this.params;
    document.set(fileContentField, await this.#storages.readContent(path, MAX_CONTENT_BYTES));
  }
}
