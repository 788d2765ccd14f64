import {
  contractError,
  type ErrorCode,
  HeadraceError,
  type MemoryHold,
  messageOf,
  type ParameterProblem,
  withDefaults,
} from '@headrace/engine';
import { checkLibrary, missingLibrary, type OptionalLibrary } from '../libraries/optional-library.ts';
import { type FileUri, parseFileUri } from './file-uri.ts';
import { LocalStorage } from './local-storage.ts';
import { collectBytes, readLocalFile } from './read-whole.ts';
import type { Storage } from './storage.ts';
import { azureParameters, gcpParameters, type StorageSettings, s3Parameters } from './storage-parameters.ts';

const BLOCKS: Readonly<Record<string, keyof StorageSettings>> = { s3: 's3', gs: 'gcp', https: 'azure' };
/** The library that reads the files of each block. */
const LIBRARIES: Readonly<Record<keyof StorageSettings, OptionalLibrary>> = {
  s3: '@aws-sdk/client-s3',
  gcp: '@google-cloud/storage',
  azure: '@azure/storage-blob',
};
/** The prefix of a path that starts at the working directory. */
export const CLASSPATH: RegExp = /^classpath:\/*/;

/** Returns why files of a scheme cannot be read with these settings; undefined if they can. */
export function unreadableScheme(
  scheme: string,
  settings: StorageSettings,
): { code?: ErrorCode; message: string; hint: string } | undefined {
  if (scheme === 'file') return undefined;
  const block = BLOCKS[scheme];
  if (block === undefined) {
    return {
      message: `there is no storage for ${scheme}: paths`,
      hint: 'Write a local path, or a path that begins with file:, s3://, gs:// or https://<account>.blob.core.windows.net/.',
    };
  }
  if (settings[block] !== undefined) return missingLibrary(LIBRARIES[block]);
  return {
    message: `${scheme}: paths need the block ${block}`,
    hint:
      block === 'azure'
        ? 'https: paths refer to Azure Blob Storage. To read web pages, use the stage FetchUri.'
        : `Add ${block} { … } with the credentials.`,
  };
}

/** Warns about blocks that no path uses. Unreadable paths are reported elsewhere. */
export function* unneededStorages(paths: readonly string[], settings: StorageSettings): Generator<ParameterProblem> {
  for (const [scheme, block] of Object.entries(BLOCKS)) {
    if (settings[block] === undefined || paths.some((path) => path.toLowerCase().startsWith(`${scheme}:`))) continue;
    yield {
      parameter: block,
      severity: 'warning',
      message: `${block} has no effect: no path begins with ${scheme}:`,
      hint: 'Remove the block, or correct the paths.',
    };
  }
}

/** Warns about blocks whose library is not installed, for components whose paths come from documents. */
export function* unreadyStorages(settings: StorageSettings): Generator<ParameterProblem> {
  for (const block of ['s3', 'azure', 'gcp'] as const) {
    if (settings[block] === undefined) continue;
    for (const problem of checkLibrary(LIBRARIES[block], block)) yield { ...problem, severity: 'warning' };
  }
}

/**
 * Provides the storages of the blocks of a component. Each storage and its library are loaded at the first path that
 * needs it.
 */
export class Storages {
  readonly #settings: StorageSettings;
  readonly #once: boolean;
  readonly #opened = new Map<string, Promise<Storage>>();

  /** @param options.once disables retries, for connection checks */
  constructor(settings: StorageSettings, { once = false } = {}) {
    this.#settings = settings;
    this.#once = once;
  }

  /** Returns the storage of a file. Throws `HR_SOURCE_UNREADABLE` if there is none, or if it cannot be opened. */
  of({ scheme, authority, path }: FileUri): Promise<Storage> {
    let storage = this.#opened.get(scheme);
    if (storage === undefined) {
      const problem = unreadableScheme(scheme, this.#settings);
      if (problem !== undefined) {
        const { code = 'HR_SOURCE_UNREADABLE', message, hint } = problem;
        throw new HeadraceError(code, `Cannot read ${scheme}://${authority}${path}: ${message}`, {
          hint,
        });
      }
      storage = this.#open(scheme);
      this.#opened.set(scheme, storage);
    }
    return storage;
  }

  /**
   * Reads the whole content of a file: a local path, `classpath:x` (x in the working directory), or a URI. Throws
   * `HR_SOURCE_UNREADABLE` if the file cannot be read, or has more than `limit` bytes.
   * @param memory counts the bytes; nothing more is read while there is not enough
   */
  async readContent(text: string, limit: number, memory?: MemoryHold): Promise<Buffer> {
    if (typeof limit !== 'number' || !(limit >= 0)) {
      throw contractError(`The limit of readContent() is ${String(limit)}, not a number of bytes`);
    }
    const uri = parseFileUri(text.replace(CLASSPATH, './'));
    try {
      if (uri.scheme === 'file') return await readLocalFile(uri.path, undefined, limit, memory);
      return await collectBytes((await this.of(uri)).read(uri), limit, text, memory);
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot read ${text}: ${messageOf(error)}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    const storages = await Promise.allSettled(this.#opened.values());
    await Promise.all(storages.map((storage) => (storage.status === 'fulfilled' ? storage.value.close() : undefined)));
  }

  async #open(scheme: string): Promise<Storage> {
    const {
      s3 = withDefaults(s3Parameters),
      azure = withDefaults(azureParameters),
      gcp = withDefaults(gcpParameters, { pathToServiceKey: '' }),
    } = this.#settings;
    if (scheme === 's3') return (await import('./s3-storage.ts')).S3Storage.open(s3, this.#once);
    if (scheme === 'gs') return (await import('./gcs-storage.ts')).GcsStorage.open(gcp, this.#once);
    if (scheme === 'https') return (await import('./azure-storage.ts')).AzureStorage.open(azure, this.#once);
    return new LocalStorage();
  }
}
