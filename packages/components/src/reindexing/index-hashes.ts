import { setImmediate } from 'node:timers/promises';
import { messageOf } from '@headrace/engine';
import type { DocumentHashes } from './document-hashes.ts';
import type { IndexAdmin } from './index-admin.ts';
import { fingerprintOf } from './index-fingerprint.ts';
import type { Log } from './types.ts';
import { UnchangedDocuments } from './unchanged-documents.ts';

/** The run that uses hashes, and its index. */
interface HashedRun {
  readonly admin: IndexAdmin;
  readonly index: string;
  /** Identifies the documents of the source in the index. */
  readonly source: string;
  readonly log: Log;
  readonly onUnchanged: (documents: number) => void;
}

/** The hashes of the documents of an index during a run. */
export class IndexHashes {
  readonly hashes: DocumentHashes;
  readonly documents: UnchangedDocuments;
  /** Resolves when the hashes are in memory. Use `documents` only then. */
  readonly loaded: Promise<void>;
  readonly #run: HashedRun;

  private constructor(hashes: DocumentHashes, run: HashedRun) {
    this.hashes = hashes;
    this.documents = new UnchangedDocuments(hashes, run.onUnchanged);
    this.#run = run;
    this.loaded = load(hashes);
    // A run without documents does not wait for it.
    this.loaded.catch(() => {});
  }

  /** Compares the hashes with the index, which must exist. If they may be wrong, the run sends all documents. */
  static async begin(hashes: DocumentHashes, run: HashedRun): Promise<IndexHashes> {
    const { admin, index, source, log } = run;
    const reason = hashes.begin(await fingerprintOf(admin, index), source);
    if (reason !== undefined) log.warn(`skipUnchanged: all documents are sent to ${index}, because ${reason}`);
    return new IndexHashes(hashes, run);
  }

  /** Ends the run. If the index cannot be reached, the next run treats this one as killed. */
  async end(): Promise<void> {
    const { admin, index, log } = this.#run;
    try {
      await this.loaded;
      this.hashes.end(await fingerprintOf(admin, index));
    } catch (error) {
      log.warn(`skipUnchanged: the state of ${index} at the end of the run is not known: ${messageOf(error)}`);
    }
  }

  close(): void {
    this.hashes.close();
  }
}

/** Reads the hashes into memory while the run starts. */
async function load(hashes: DocumentHashes): Promise<void> {
  for (const _ of hashes.load()) await setImmediate();
}
