import type { Bucket, Storage as Client, File } from '@google-cloud/storage';
import { allowedPath } from '@headrace/engine';
import type { FileUri } from './file-uri.ts';
import { resumedReading } from './resumed-reading.ts';
import { type ListOptions, movedKey, nanosOf, reachByListing, type Storage, type StoredFile } from './storage.ts';
import type { GcpSettings } from './storage-parameters.ts';

/** What a listing tells of an object. */
interface ObjectFacts {
  readonly size?: string | number | undefined;
  readonly updated?: string | undefined;
  readonly timeCreated?: string | undefined;
}

/** Buckets of Google Cloud Storage. */
export class GcsStorage implements Storage {
  private readonly client: Client;
  private readonly pageSize: number | undefined;

  private constructor(client: Client, pageSize: number | undefined) {
    this.client = client;
    this.pageSize = pageSize;
  }

  static async open({ pathToServiceKey, endpoint, maxNumOfPages }: GcpSettings, once = false): Promise<GcsStorage> {
    const { Storage: Client } = await import('@google-cloud/storage');
    const client = new Client({
      // Without a key the library looks for the credentials of the machine.
      ...(pathToServiceKey === ''
        ? {}
        : { keyFilename: allowedPath(pathToServiceKey, 'read'), useAuthWithCustomEndpoint: true }),
      ...(endpoint === undefined ? {} : { apiEndpoint: endpoint }),
      ...(once ? { retryOptions: { autoRetry: false, maxRetries: 0 } } : {}),
    });
    return new GcsStorage(client, maxNumOfPages);
  }

  list(start: FileUri, options: ListOptions): AsyncGenerator<StoredFile> {
    return this.listPrefix(this.client.bucket(start.authority), start.path.slice(1), options);
  }

  reach(start: FileUri, signal: AbortSignal): Promise<void> {
    return reachByListing(this, start, signal);
  }

  async stat(uri: FileUri): Promise<StoredFile> {
    const [facts] = await this.file(uri).getMetadata();
    return storedObject(uri.authority, uri.path.slice(1), facts);
  }

  read(uri: FileUri): AsyncIterable<Uint8Array> {
    let version: string | number | undefined;
    return resumedReading(async (offset) => {
      if (offset === 0) version = (await this.file(uri).getMetadata())[0].generation;
      // A part cannot be checked against the checksum of the whole.
      const part = offset === 0 ? {} : { start: offset, validation: false as const };
      return this.file(uri, version).createReadStream(part);
    });
  }

  async move(file: FileUri, folder: FileUri): Promise<void> {
    const source = this.file(file);
    const name = movedKey(file.path.slice(1), folder);
    await source.copy(this.client.bucket(folder.authority).file(name));
    await source.delete();
  }

  async close(): Promise<void> {}

  private async *listPrefix(bucket: Bucket, prefix: string, options: ListOptions): AsyncGenerator<StoredFile> {
    let page: string | undefined;
    do {
      const [files, next, answer] = await bucket.getFiles({
        prefix,
        delimiter: '/',
        autoPaginate: false,
        ...(this.pageSize === undefined ? {} : { maxResults: this.pageSize }),
        ...(page === undefined ? {} : { pageToken: page }),
      });
      for (const { name, metadata } of files) {
        if (!name.endsWith('/')) yield storedObject(bucket.name, name, metadata);
      }
      for (const folder of (answer as { prefixes?: string[] } | undefined)?.prefixes ?? []) {
        if (!options.skips(`gs://${bucket.name}/${folder.slice(0, -1)}`))
          yield* this.listPrefix(bucket, folder, options);
      }
      page = (next as { pageToken?: string } | null)?.pageToken;
    } while (page !== undefined && !options.signal.aborted);
  }

  private file({ authority, path }: FileUri, generation?: string | number): File {
    return this.client.bucket(authority).file(path.slice(1), generation === undefined ? {} : { generation });
  }
}

function storedObject(bucket: string, name: string, { size, updated, timeCreated }: ObjectFacts): StoredFile {
  return {
    uri: { scheme: 'gs', authority: bucket, path: `/${name}` },
    path: `gs://${bucket}/${name}`,
    name,
    size: Number(size ?? 0),
    modified: nanosOf(updated === undefined ? undefined : new Date(updated)),
    created: timeCreated === undefined ? undefined : nanosOf(new Date(timeCreated)),
  };
}
