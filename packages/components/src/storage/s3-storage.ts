import type { Readable } from 'node:stream';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import { type Agents, openAgents } from '../http/agents.ts';
import { loadLibrary } from '../libraries/optional-library.ts';
import { type FileUri, s3ObjectUri } from './file-uri.ts';
import { readRange, resumedReading } from './resumed-reading.ts';
import {
  checkAccessByListing,
  type ListOptions,
  movedKey,
  nanosOf,
  type RangedFile,
  type Storage,
  type StoredFile,
} from './storage.ts';
import type { S3Settings } from './storage-parameters.ts';

type Library = typeof import('@aws-sdk/client-s3');

/** The largest object that one request can copy, and the part size for larger objects. */
const MAX_COPY_BYTES = 5 * 1024 ** 3;
const COPY_PART_BYTES = 1024 ** 3;

/** Reads buckets of Amazon S3, or of a server with the same protocol. */
export class S3Storage implements Storage {
  readonly #s3: Library;
  readonly #client: S3Client;
  readonly #pageSize: number | undefined;

  private constructor(s3: Library, agents: Agents, settings: S3Settings, once: boolean) {
    const { accessKeyId, secretAccessKey, region, endpoint, maxNumOfPages } = settings;
    this.#s3 = s3;
    this.#pageSize = maxNumOfPages;
    this.#client = new s3.S3Client({
      // The library does not support proxies; our agents do.
      requestHandler: { httpAgent: agents.http, httpsAgent: agents.https },
      ...(accessKeyId === undefined || secretAccessKey === undefined
        ? {}
        : { credentials: { accessKeyId, secretAccessKey } }),
      ...(region === undefined ? {} : { region }),
      ...(once ? { maxAttempts: 1 } : {}),
      // Private servers have no host name for each bucket, and they have no regions.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }),
    });
  }

  static async open(settings: S3Settings, once = false): Promise<S3Storage> {
    const [s3, agents] = await Promise.all([loadLibrary('@aws-sdk/client-s3'), openAgents(settings)]);
    return new S3Storage(s3, agents, settings, once);
  }

  list(start: FileUri, options: ListOptions): AsyncGenerator<StoredFile> {
    return this.#listPrefix(start.authority, start.path.slice(1), options);
  }

  checkAccess(start: FileUri, signal: AbortSignal): Promise<void> {
    return checkAccessByListing(this, start, signal);
  }

  async stat(uri: FileUri): Promise<StoredFile> {
    const found = await this.#client.send(new this.#s3.HeadObjectCommand(objectOf(uri)));
    const { Bucket, Key } = objectOf(uri);
    return storedObject(Bucket, Key, found.ContentLength, found.LastModified);
  }

  read(uri: FileUri): AsyncIterable<Uint8Array> {
    let version: string | undefined;
    return resumedReading(async (offset) => {
      const { Body, ETag } = await this.#client.send(
        new this.#s3.GetObjectCommand({
          ...objectOf(uri),
          ...(offset === 0 ? {} : { Range: `bytes=${offset}-`, IfMatch: version }),
        }),
      );
      version = ETag;
      return Body as Readable;
    });
  }

  async openRanges(uri: FileUri): Promise<RangedFile> {
    const object = objectOf(uri);
    const path = s3ObjectUri(object.Bucket, object.Key);
    const { ContentLength: size = 0, ETag } = await this.#client.send(new this.#s3.HeadObjectCommand(object));
    return {
      size,
      read: (start, end) =>
        readRange(path, start, end, async (from) => {
          const part = { ...object, Range: `bytes=${from}-${end - 1}`, IfMatch: ETag };
          return (await this.#client.send(new this.#s3.GetObjectCommand(part))).Body as Readable;
        }),
      close: async () => {},
    };
  }

  async move(file: FileUri, folder: FileUri): Promise<void> {
    const from = objectOf(file);
    const to = { Bucket: folder.authority, Key: movedKey(from.Key, folder) };
    const { size } = await this.stat(file);
    const source = `${from.Bucket}/${encodeURIComponent(from.Key)}`;
    if (size <= MAX_COPY_BYTES) await this.#client.send(new this.#s3.CopyObjectCommand({ ...to, CopySource: source }));
    else await this.#copyInParts(source, size, to);
    await this.#client.send(new this.#s3.DeleteObjectCommand(from));
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async *#listPrefix(bucket: string, prefix: string, options: ListOptions): AsyncGenerator<StoredFile> {
    let page: string | undefined;
    let last = '';
    do {
      const found = await this.#client.send(
        new this.#s3.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          Delimiter: '/',
          ...(this.#pageSize === undefined ? {} : { MaxKeys: this.#pageSize }),
          ...(page === undefined ? {} : { ContinuationToken: page }),
        }),
        { abortSignal: options.signal },
      );
      for (const { Key = '', Size, LastModified } of found.Contents ?? []) {
        if (!Key.endsWith('/')) yield storedObject(bucket, Key, Size, LastModified);
      }
      for (const { Prefix = '' } of found.CommonPrefixes ?? []) {
        // Some servers repeat the last folder of a page at the start of the next page.
        if (Prefix === last) continue;
        last = Prefix;
        if (!options.skips(s3ObjectUri(bucket, Prefix).slice(0, -1))) yield* this.#listPrefix(bucket, Prefix, options);
      }
      page = found.NextContinuationToken;
    } while (page !== undefined && !options.signal.aborted);
  }

  async #copyInParts(source: string, size: number, to: { Bucket: string; Key: string }): Promise<void> {
    const { UploadId } = await this.#client.send(new this.#s3.CreateMultipartUploadCommand(to));
    try {
      const parts: CompletedPart[] = [];
      for (let start = 0; start < size; start += COPY_PART_BYTES) {
        const PartNumber = parts.length + 1;
        const range = `bytes=${start}-${Math.min(start + COPY_PART_BYTES, size) - 1}`;
        const { CopyPartResult } = await this.#client.send(
          new this.#s3.UploadPartCopyCommand({
            ...to,
            UploadId,
            PartNumber,
            CopySource: source,
            CopySourceRange: range,
          }),
        );
        parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
      }
      await this.#client.send(
        new this.#s3.CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload: { Parts: parts } }),
      );
    } catch (error) {
      // Without this request, the parts of an unfinished upload would stay and cost money.
      await this.#client.send(new this.#s3.AbortMultipartUploadCommand({ ...to, UploadId })).catch(() => undefined);
      throw error;
    }
  }
}

function objectOf({ authority, path }: FileUri): { Bucket: string; Key: string } {
  return { Bucket: authority, Key: path.slice(1) };
}

function storedObject(bucket: string, key: string, size: number | undefined, modified: Date | undefined): StoredFile {
  return {
    uri: { scheme: 's3', authority: bucket, path: `/${key}` },
    path: s3ObjectUri(bucket, key),
    name: key,
    size: size ?? 0,
    modified: nanosOf(modified),
    created: undefined,
  };
}
