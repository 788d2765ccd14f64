import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { CompletedPart, GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { type Agents, openAgents } from '../http/agents.ts';
import { loadLibrary } from '../libraries/optional-library.ts';
import { ArchivedFileError } from './archived-file-error.ts';
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
type Signer = { sign<Request>(request: Request): Promise<Request> };

/** A part of the header of a restored object: `ongoing-request="false", expiry-date="…"`. */
const RESTORED = 'ongoing-request="false"';
const NO_CREDENTIALS = { accessKeyId: '', secretAccessKey: '' };
const NO_SIGNATURE: Signer = { sign: async (request) => request };

/** The largest object that one request can copy, and the part size for larger objects. */
const MAX_COPY_BYTES = 5 * 1024 ** 3;
const COPY_PART_BYTES = 1024 ** 3;

/** Reads buckets of Amazon S3, or of a server with the same protocol. */
export class S3Storage implements Storage {
  readonly #s3: Library;
  readonly #client: S3Client;
  /** Sent with all requests about an object. */
  readonly #payer: { readonly RequestPayer?: 'requester' };
  /** Sent with all requests for the content or the properties of an object. */
  readonly #key: CustomerKey | undefined;
  readonly #pageSize: number | undefined;
  readonly #isAmazon: boolean;

  private constructor(s3: Library, agents: Agents, settings: S3Settings, once: boolean) {
    const { accessKeyId, secretAccessKey, region, endpoint, maxNumOfPages, anonymous, sseCustomerKey } = settings;
    this.#s3 = s3;
    this.#pageSize = maxNumOfPages;
    this.#isAmazon = endpoint === undefined || /\.amazonaws\.com(\.cn)?$/.test(URL.parse(endpoint)?.hostname ?? '');
    this.#payer = settings.requesterPays ? { RequestPayer: 'requester' } : {};
    this.#key = sseCustomerKey === undefined ? undefined : customerKey(sseCustomerKey);
    this.#client = new s3.S3Client({
      // The library does not support proxies; our agents do.
      requestHandler: { httpAgent: agents.http, httpsAgent: agents.https },
      ...(accessKeyId === undefined || secretAccessKey === undefined
        ? {}
        : { credentials: { accessKeyId, secretAccessKey } }),
      // Without a signature, a request has no credentials. The library would otherwise look for some.
      ...(anonymous ? { credentials: NO_CREDENTIALS, signer: NO_SIGNATURE } : {}),
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

  async *list(start: FileUri, options: ListOptions): AsyncGenerator<StoredFile> {
    if (start.version === undefined) yield* this.#listPrefix(start.authority, start.path.slice(1), options);
    else yield await this.stat(start);
  }

  checkAccess(start: FileUri, signal: AbortSignal): Promise<void> {
    return checkAccessByListing(this, start, signal);
  }

  async stat(uri: FileUri): Promise<StoredFile> {
    const found = await this.#client.send(new this.#s3.HeadObjectCommand(this.#objectOf(uri)));
    const { authority, path, version } = uri;
    const { ContentLength, LastModified, StorageClass, ArchiveStatus, Restore } = found;
    const archive = Restore?.includes(RESTORED) ? undefined : archiveOf(StorageClass, ArchiveStatus);
    const file = storedObject(authority, path.slice(1), ContentLength, LastModified, archive);
    return version === undefined ? file : { ...file, uri: { ...file.uri, version } };
  }

  read(uri: FileUri): AsyncIterable<Uint8Array> {
    let version: string | undefined;
    return resumedReading(async (offset) => {
      const { Body, ETag } = await this.#get(uri, {
        ...(offset === 0 ? {} : { Range: `bytes=${offset}-`, IfMatch: version }),
      });
      version = ETag;
      return Body as Readable;
    });
  }

  async openRanges(uri: FileUri): Promise<RangedFile> {
    const path = s3ObjectUri(uri.authority, uri.path.slice(1));
    const head = new this.#s3.HeadObjectCommand(this.#objectOf(uri));
    const { ContentLength: size = 0, ETag } = await this.#client.send(head);
    return {
      size,
      read: (start, end) =>
        readRange(path, start, end, async (from) => {
          const part = { Range: `bytes=${from}-${end - 1}`, IfMatch: ETag };
          return (await this.#get(uri, part)).Body as Readable;
        }),
      close: async () => {},
    };
  }

  async move(file: FileUri, folder: FileUri): Promise<void> {
    const from = { Bucket: file.authority, Key: file.path.slice(1), ...this.#payer };
    const to = { Bucket: folder.authority, Key: movedKey(from.Key, folder), ...this.#payer, ...this.#key };
    const { size } = await this.stat(file);
    const source = `${from.Bucket}/${encodeURIComponent(from.Key)}`;
    if (size <= MAX_COPY_BYTES)
      await this.#client.send(new this.#s3.CopyObjectCommand({ ...to, ...sourceKey(this.#key), CopySource: source }));
    else await this.#copyInParts(source, size, to);
    await this.#client.send(new this.#s3.DeleteObjectCommand(from));
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #objectOf({ authority, path, version }: FileUri) {
    const object = { Bucket: authority, Key: path.slice(1), ...this.#payer, ...this.#key };
    return version === undefined ? object : { ...object, VersionId: version };
  }

  /** Asks a server whose listings do not show whether an archived object is restored. */
  async #isRestored(uri: FileUri): Promise<boolean> {
    const { Restore } = await this.#client.send(new this.#s3.HeadObjectCommand(this.#objectOf(uri)));
    return Restore?.includes(RESTORED) === true;
  }

  async #get(uri: FileUri, range: { Range?: string; IfMatch?: string | undefined }): Promise<GetObjectCommandOutput> {
    try {
      return await this.#client.send(new this.#s3.GetObjectCommand({ ...this.#objectOf(uri), ...range }));
    } catch (error) {
      if (!(error instanceof this.#s3.InvalidObjectState)) throw error;
      const archive = error.AccessTier ?? error.StorageClass ?? 'the class of the object';
      throw new ArchivedFileError(s3ObjectUri(uri.authority, uri.path.slice(1)), archive, error);
    }
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
          ...this.#payer,
          // Whether an archived object is restored. Other servers may not know the header.
          ...(this.#isAmazon ? { OptionalObjectAttributes: ['RestoreStatus'] } : {}),
          ...(this.#pageSize === undefined ? {} : { MaxKeys: this.#pageSize }),
          ...(page === undefined ? {} : { ContinuationToken: page }),
        }),
        { abortSignal: options.signal },
      );
      for (const { Key = '', Size, LastModified, StorageClass, RestoreStatus } of found.Contents ?? []) {
        if (Key.endsWith('/')) continue;
        const file = storedObject(bucket, Key, Size, LastModified, archiveOf(StorageClass));
        const { archive, ...restored } = file;
        const isRestored =
          archive !== undefined &&
          (this.#isAmazon || RestoreStatus !== undefined
            ? RestoreStatus?.IsRestoreInProgress === false
            : await this.#isRestored(file.uri));
        yield isRestored ? restored : file;
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

  async #copyInParts(
    source: string,
    size: number,
    to: { Bucket: string; Key: string; RequestPayer?: 'requester' } & Partial<CustomerKey>,
  ): Promise<void> {
    const { UploadId } = await this.#client.send(new this.#s3.CreateMultipartUploadCommand(to));
    try {
      const parts: CompletedPart[] = [];
      for (let start = 0; start < size; start += COPY_PART_BYTES) {
        const PartNumber = parts.length + 1;
        const range = `bytes=${start}-${Math.min(start + COPY_PART_BYTES, size) - 1}`;
        const { CopyPartResult } = await this.#client.send(
          new this.#s3.UploadPartCopyCommand({
            ...to,
            ...sourceKey(this.#key),
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

/** The parameters of requests for objects that are encrypted with a key of the customer. */
interface CustomerKey {
  readonly SSECustomerAlgorithm: string;
  readonly SSECustomerKey: string;
  readonly SSECustomerKeyMD5: string;
}

function customerKey(base64: string): CustomerKey {
  const md5 = hash('md5', Buffer.from(base64, 'base64'), 'base64');
  return { SSECustomerAlgorithm: 'AES256', SSECustomerKey: base64, SSECustomerKeyMD5: md5 };
}

/** Returns the parameters of a copy whose source is encrypted with the key. */
function sourceKey(key: CustomerKey | undefined) {
  if (key === undefined) return {};
  return {
    CopySourceSSECustomerAlgorithm: key.SSECustomerAlgorithm,
    CopySourceSSECustomerKey: key.SSECustomerKey,
    CopySourceSSECustomerKeyMD5: key.SSECustomerKeyMD5,
  };
}

/**
 * Returns the archive of an object that must be restored before it can be read.
 * @param tier the archive tier of an object in the class INTELLIGENT_TIERING
 */
function archiveOf(storageClass: string | undefined, tier?: string): string | undefined {
  if (tier !== undefined) return tier;
  return storageClass === 'GLACIER' || storageClass === 'DEEP_ARCHIVE' ? storageClass : undefined;
}

function storedObject(
  bucket: string,
  key: string,
  size: number | undefined,
  modified: Date | undefined,
  archive: string | undefined,
): StoredFile {
  return {
    uri: { scheme: 's3', authority: bucket, path: `/${key}` },
    path: s3ObjectUri(bucket, key),
    name: key,
    size: size ?? 0,
    modified: nanosOf(modified),
    created: undefined,
    ...(archive === undefined ? {} : { archive }),
  };
}
