import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { extname, isAbsolute } from 'node:path';
import { NO_ANSWER, type Reply } from 'headrace/delivery';
import {
  allowedMillis,
  type Confinement,
  type Family,
  HeadraceError,
  HelperProcess,
  type Logger,
  messageOf,
} from 'headrace/engine';
import type { StoreTarget } from '../store/store-writer.ts';
import type { LanceSettings } from './lance-target.ts';

/** The memory of LanceDB. */
const MAX_BYTES = 4 * 1024 * 1024 * 1024;
/** The maximum time for a call: a batch takes seconds, and a table with many files is compacted in minutes. */
const CALL_MILLIS = 10 * 60 * 1000;

/** A table of LanceDB whose library is in a helper process. If the process ends, a retry starts another one. */
export class LanceProcess implements StoreTarget {
  readonly #settings: LanceSettings;
  readonly #log: Pick<Logger, 'warn'>;
  #process: HelperProcess;

  private constructor(settings: LanceSettings, log: Pick<Logger, 'warn'>, process: HelperProcess) {
    this.#settings = settings;
    this.#log = log;
    this.#process = process;
  }

  /** Opens the table, or creates it. Throws `HR_INDEXER_CONNECT` if it does not fit. */
  static async open(settings: LanceSettings, log: Pick<Logger, 'warn'>): Promise<LanceProcess> {
    return new LanceProcess(settings, log, await start(settings));
  }

  upload(objects: readonly Uint8Array[]): Promise<Reply> {
    return this.#reply('upload', objects);
  }

  remove(ids: readonly string[]): Promise<Reply> {
    return this.#reply('remove', ids);
  }

  removeChildren(families: readonly Family[], field: string): Promise<Reply> {
    return this.#reply('removeChildren', families, field);
  }

  async close(): Promise<void> {
    try {
      if (this.#process.alive) await this.#process.call('close');
    } catch (error) {
      if (!(error instanceof HeadraceError) || error.code !== 'HR_STAGE_OVERDUE') throw error;
      // All documents are in the table. Only its small files were to be joined.
      this.#log.warn(`LanceDB: the table ${this.#settings.table} is not compacted: ${messageOf(error)}`);
    } finally {
      this.#process.close();
    }
  }

  async #reply(name: string, ...args: readonly unknown[]): Promise<Reply> {
    try {
      if (!this.#process.alive) this.#process = await start(this.#settings);
      return await this.#process.call<Reply>(name, ...args);
    } catch (error) {
      return { refused: { status: NO_ANSWER, message: `LanceDB: ${messageOf(error)}` } };
    }
  }
}

/** Starts a process that opens the table. */
async function start(settings: LanceSettings): Promise<HelperProcess> {
  const module = new URL(`./lance-table${extname(import.meta.url)}`, import.meta.url);
  const mounts = await mountsOf(settings);
  const process = HelperProcess.start(module, { maxBytes: MAX_BYTES, callMillis: allowedMillis(CALL_MILLIS), mounts });
  try {
    await process.call('open', settings);
    return process;
  } catch (error) {
    process.close();
    throw error;
  }
}

/** Returns the folder of the database, which the process may write. A folder for a new table is created. */
async function mountsOf({ uri, columns }: LanceSettings): Promise<Confinement['mounts']> {
  if (!isAbsolute(uri)) return [];
  // If the folder cannot be created, the library reports this, as for all folders that it cannot use.
  if (columns !== undefined) await mkdir(uri, { recursive: true }).catch(() => undefined);
  if (!existsSync(uri)) return [];
  return [
    { source: uri, target: uri, kind: 'directory', writable: true },
    { source: '', target: '/tmp', kind: 'temporary' },
  ];
}
