import { type ErrorCode, HeadraceError, messageOf, type ParameterProblem } from '@headrace/engine';
import { checkLibrary, missingLibrary, type OptionalLibrary } from '../libraries/optional-library.ts';
import { type FileUri, parseFileUri } from './file-uri.ts';
import { LocalStorage } from './local-storage.ts';
import { collectBytes, readLocalFile } from './read-whole.ts';
import type { Storage } from './storage.ts';
import type { StorageSettings } from './storage-parameters.ts';

const BLOCKS: Readonly<Record<string, keyof StorageSettings>> = { s3: 's3', gs: 'gcp', https: 'azure' };
/** The library that reads the files of a block. */
const LIBRARIES: Readonly<Record<keyof StorageSettings, OptionalLibrary>> = {
  s3: '@aws-sdk/client-s3',
  gcp: '@google-cloud/storage',
  azure: '@azure/storage-blob',
};
const CLASSPATH = /^classpath:\/*/;

/** Why files of a scheme cannot be read with these settings; undefined if they can. */
export function unreadableScheme(
  scheme: string,
  settings: StorageSettings,
): { code?: ErrorCode; message: string; hint: string } | undefined {
  if (scheme === 'file') return undefined;
  const block = BLOCKS[scheme];
  if (block === undefined) {
    return {
      message: `there is no storage for ${scheme}: paths`,
      hint: 'Paths are local, or begin with file:, s3://, gs:// or https://<account>.blob.core.windows.net/.',
    };
  }
  if (settings[block] !== undefined) return missingLibrary(LIBRARIES[block]);
  return {
    message: `${scheme}: paths need the block ${block}`,
    hint:
      block === 'azure'
        ? 'https: paths are those of Azure Blob Storage; for pages of the web there is the stage FetchUri.'
        : `Add ${block} { … }; it says with which credentials to read.`,
  };
}

/** Warnings for blocks of which no path makes use. Paths that cannot be read say so elsewhere. */
export function* unneededStorages(paths: readonly string[], settings: StorageSettings): Generator<ParameterProblem> {
  for (const [scheme, block] of Object.entries(BLOCKS)) {
    if (settings[block] === undefined || paths.some((path) => path.toLowerCase().startsWith(`${scheme}:`))) continue;
    yield {
      parameter: block,
      severity: 'warning',
      message: `${block} has no effect: no path begins with ${scheme}:`,
      hint: 'Remove it, or correct the paths.',
    };
  }
}

/** Warnings for blocks whose library is not installed, where only documents name the paths. */
export function* unreadyStorages(settings: StorageSettings): Generator<ParameterProblem> {
  for (const block of ['s3', 'azure', 'gcp'] as const) {
    if (settings[block] === undefined) continue;
    for (const problem of checkLibrary(LIBRARIES[block], block)) yield { ...problem, severity: 'warning' };
  }
}

/** The storages that the blocks of a component give, each opened, with its library, at the first path of its kind. */
export class Storages {
  readonly #settings: StorageSettings;
  readonly #once: boolean;
  readonly #opened = new Map<string, Promise<Storage>>();

  /** @param options.once nothing is tried again: to look whether the storages are there */
  constructor(settings: StorageSettings, { once = false } = {}) {
    this.#settings = settings;
    this.#once = once;
  }

  /** The storage of a file. Throws `HR_SOURCE_UNREADABLE` if there is none, or when it cannot be opened. */
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
   * The whole content of a file that a text names: a local path, `classpath:x` (x in the working directory), or a URI.
   * Throws `HR_SOURCE_UNREADABLE` if it cannot be read, or has more than `limit` bytes.
   */
  async readContent(text: string, limit: number): Promise<Buffer> {
    const uri = parseFileUri(text.replace(CLASSPATH, './'));
    try {
      if (uri.scheme === 'file') return await readLocalFile(uri.path, undefined, limit);
      return await collectBytes((await this.of(uri)).read(uri), limit, text);
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
    const { s3 = {}, azure = {}, gcp = { pathToServiceKey: '' } } = this.#settings;
    if (scheme === 's3') return (await import('./s3-storage.ts')).S3Storage.open(s3, this.#once);
    if (scheme === 'gs') return (await import('./gcs-storage.ts')).GcsStorage.open(gcp, this.#once);
    if (scheme === 'https') return (await import('./azure-storage.ts')).AzureStorage.open(azure, this.#once);
    return new LocalStorage();
  }
}
