import type { BlobClient, BlobServiceClient, StoragePipelineOptions } from '@azure/storage-blob';
import { HeadraceError } from '@headrace/engine';
import { type Agents, openAgents } from '../http/agents.ts';
import { loadLibrary } from '../libraries/optional-library.ts';
import { ArchivedFileError } from './archived-file-error.ts';
import type { FileUri } from './file-uri.ts';
import {
  checkAccessByListing,
  type ListOptions,
  movedKey,
  nanosOf,
  type RangedFile,
  type Storage,
  type StoredFile,
} from './storage.ts';
import type { AzureSettings } from './storage-parameters.ts';

/** How often an interrupted download is resumed. */
const READ_ATTEMPTS = 5;
/** The access tier whose blobs must be restored before they can be read. */
const ARCHIVE = 'Archive';

/** Reads containers of Azure Blob Storage: `https://<account>.blob.core.windows.net/<container>/<blob>`. */
export class AzureStorage implements Storage {
  readonly #service: BlobServiceClient;
  readonly #agents: Agents;
  readonly #pageSize: number | undefined;

  private constructor(service: BlobServiceClient, agents: Agents, pageSize: number | undefined) {
    this.#service = service;
    this.#agents = agents;
    this.#pageSize = pageSize;
  }

  static async open(settings: AzureSettings, once = false): Promise<AzureStorage> {
    const [library, agents] = await Promise.all([loadLibrary('@azure/storage-blob'), openAgents(settings)]);
    const { url, credential } = account(library, settings);
    // The library passes the agent to each request, although its type does not declare the option. Without an agent it
    // ignores the TLS settings if a proxy is used.
    const options: StoragePipelineOptions & { readonly agent: Agents['http'] } = {
      agent: url.startsWith('https:') ? agents.https : agents.http,
      ...(once ? { retryOptions: { maxTries: 1 } } : {}),
    };
    return new AzureStorage(new library.BlobServiceClient(url, credential, options), agents, settings.maxNumOfPages);
  }

  async *list(start: FileUri, options: ListOptions): AsyncGenerator<StoredFile> {
    const { container, name } = this.#blobOf(start);
    if (start.version !== undefined) yield await this.stat(start);
    else yield* this.#listPrefix(start.authority, container, name, options);
  }

  checkAccess(start: FileUri, signal: AbortSignal): Promise<void> {
    return checkAccessByListing(this, start, signal);
  }

  async stat(uri: FileUri): Promise<StoredFile> {
    const { container, name } = this.#blobOf(uri);
    const file = storedBlob(uri.authority, container, name, await this.#client(uri).getProperties());
    const { version } = uri;
    return version === undefined ? file : { ...file, uri: { ...file.uri, version } };
  }

  async *read(uri: FileUri): AsyncGenerator<Uint8Array> {
    const client = this.#client(uri);
    try {
      const { readableStreamBody } = await client.download(0, undefined, { maxRetryRequests: READ_ATTEMPTS });
      yield* readableStreamBody as AsyncIterable<Buffer>;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'BlobArchived') throw error;
      throw new ArchivedFileError(`https://${uri.authority}${uri.path}`, ARCHIVE, error);
    }
  }

  async openRanges(uri: FileUri): Promise<RangedFile> {
    const client = this.#client(uri);
    const { contentLength: size = 0, etag } = await client.getProperties();
    const conditions = etag === undefined ? {} : { ifMatch: etag };
    const options = { conditions, maxRetryRequestsPerBlock: READ_ATTEMPTS };
    return {
      size,
      // The library throws if the blob has fewer bytes.
      read: (start, end) => client.downloadToBuffer(start, end - start, options),
      close: async () => {},
    };
  }

  async move(file: FileUri, folder: FileUri): Promise<void> {
    const source = this.#client(file);
    const target = this.#blobOf(folder);
    const name = movedKey(this.#blobOf(file).name, { ...folder, path: `/${target.name}` });
    const poller = await this.#service
      .getContainerClient(target.container)
      .getBlobClient(name)
      .beginCopyFromURL(source.url);
    const { copyStatus } = await poller.pollUntilDone();
    if (copyStatus !== 'success') throw new Error(`the copy to ${name} ended as ${copyStatus}`);
    await source.delete();
  }

  async close(): Promise<void> {
    this.#agents.destroy();
  }

  async *#listPrefix(
    authority: string,
    container: string,
    prefix: string,
    options: ListOptions,
  ): AsyncGenerator<StoredFile> {
    const pages = this.#service
      .getContainerClient(container)
      .listBlobsByHierarchy('/', { prefix, abortSignal: options.signal })
      .byPage(this.#pageSize === undefined ? {} : { maxPageSize: this.#pageSize });
    for await (const { segment } of pages) {
      for (const { name, properties } of segment.blobItems) {
        if (!name.endsWith('/')) yield storedBlob(authority, container, name, properties);
      }
      for (const { name } of segment.blobPrefixes ?? []) {
        const folder = `https://${authority}/${container}/${name.slice(0, -1)}`;
        if (!options.skips(folder)) yield* this.#listPrefix(authority, container, name, options);
      }
      if (options.signal.aborted) return;
    }
  }

  #client(uri: FileUri): BlobClient {
    const { container, name } = this.#blobOf(uri);
    const client = this.#service.getContainerClient(container).getBlobClient(name);
    return uri.version === undefined ? client : client.withVersion(uri.version);
  }

  /**
   * Returns the container and the blob name of a URI. Throws if the URI belongs to an account without credentials here.
   */
  #blobOf({ authority, path }: FileUri): { container: string; name: string } {
    const { accountName, url } = this.#service;
    if (authority.split('.')[0] !== accountName && authority !== new URL(url).host) {
      throw new HeadraceError(
        'HR_SOURCE_UNREADABLE',
        `https://${authority}${path} is not in storage account ${accountName}`,
        {
          hint: 'With the block azure, https: paths must be in its account. To read web pages, use the stage FetchUri.',
        },
      );
    }
    const [, container = '', name = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
    return { container, name };
  }
}

/** Returns the URL of the account in the settings, and the credentials for it. */
function account(
  { AnonymousCredential, BlobServiceClient, StorageSharedKeyCredential }: typeof import('@azure/storage-blob'),
  { connectionString, accountName, accountKey, anonymous, endpoint }: AzureSettings,
): Pick<BlobServiceClient, 'url' | 'credential'> {
  if (anonymous && accountName !== undefined) {
    const url = endpoint ?? `https://${accountName}.blob.core.windows.net`;
    return { url, credential: new AnonymousCredential() };
  }
  const connection =
    connectionString ?? (accountName === undefined ? process.env['AZURE_STORAGE_CONNECTION_STRING'] : undefined);
  if (connection !== undefined) return BlobServiceClient.fromConnectionString(connection);
  if (accountName === undefined || accountKey === undefined) {
    throw new HeadraceError('HR_SOURCE_UNREADABLE', 'The block azure has no credentials', {
      hint: 'Set connectionString, or accountName and accountKey, or the environment variable AZURE_STORAGE_CONNECTION_STRING.',
    });
  }
  const credential = new StorageSharedKeyCredential(accountName, accountKey);
  return { url: `https://${accountName}.blob.core.windows.net`, credential };
}

function storedBlob(
  authority: string,
  container: string,
  name: string,
  properties: {
    readonly contentLength?: number | undefined;
    readonly lastModified?: Date | undefined;
    readonly createdOn?: Date | undefined;
    readonly accessTier?: string | undefined;
  },
): StoredFile {
  return {
    uri: { scheme: 'https', authority, path: `/${container}/${name}` },
    path: `https://${authority}/${container}/${name}`,
    name,
    size: properties.contentLength ?? 0,
    modified: nanosOf(properties.lastModified),
    created: properties.createdOn === undefined ? undefined : nanosOf(properties.createdOn),
    // A blob that is being restored stays in the tier until it can be read.
    ...(properties.accessTier === ARCHIVE ? { archive: ARCHIVE } : {}),
  };
}
