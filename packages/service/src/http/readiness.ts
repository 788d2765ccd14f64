import { statfs } from 'node:fs/promises';
import { messageOf } from '@headrace/engine';
import type { EventLoop } from '../stats/event-loop.ts';
import type { Store } from '../store/store.ts';

const MIB = 1024 * 1024;
/**
 * If the event loop was late by this time in half of the samples, the service is not ready. A single delay is accepted.
 */
const MAX_LOOP_DELAY_SECONDS = 1;

/** The result of one readiness check. */
export interface ReadinessCheck {
  name: string;
  ok: boolean;
  message?: string;
}

/**
 * Checks whether the service can do its work. Answers immediately from the results of the last probe. Failed runs, and
 * the servers that runs connect to, do not count.
 */
export class Readiness {
  presetsLoaded = false;
  shuttingDown = false;
  readonly #store: Store;
  readonly #loop: Pick<EventLoop, 'lateness'>;
  readonly #minFreeMb: number;
  #freeBytes = Number.POSITIVE_INFINITY;
  /** Why the disk could not be checked. */
  #diskFailure: string | undefined;

  /** @param minFreeMb the minimum free space on the disk of the store; with less, the service is not ready */
  constructor(store: Store, loop: Pick<EventLoop, 'lateness'>, minFreeMb: number) {
    this.#store = store;
    this.#loop = loop;
    this.#minFreeMb = minFreeMb;
  }

  /**
   * Probes what takes time: whether the store can be written, and the free space on its disk. `checks` returns the
   * result.
   */
  async probe(): Promise<void> {
    const { directory } = this.#store;
    await this.#store.probe();
    if (directory === undefined || this.#minFreeMb === 0) return;
    try {
      const { bavail, bsize } = await statfs(directory);
      this.#freeBytes = bavail * bsize;
      this.#diskFailure = undefined;
    } catch (error) {
      this.#diskFailure = `The disk of the store cannot be checked: ${messageOf(error)}`;
    }
  }

  checks(): ReadinessCheck[] {
    const { failure } = this.#store;
    const { lateness } = this.#loop;
    const freeMb = Math.floor(this.#freeBytes / MIB);
    const tooFull = `${freeMb} MiB are free for the store, less than limits.minFreeDiskMb`;
    const diskFailure = this.#diskFailure ?? (freeMb < this.#minFreeMb ? tooFull : undefined);
    return [
      check('store', failure === undefined, failure),
      check('presets', this.presetsLoaded, 'The presets are being loaded'),
      check('running', !this.shuttingDown, 'The service is shutting down'),
      check('disk', diskFailure === undefined, diskFailure),
      check('eventLoop', lateness < MAX_LOOP_DELAY_SECONDS, `The event loop is ${lateness.toFixed(1)} seconds late`),
    ];
  }
}

function check(name: string, ok: boolean, message: string | undefined): ReadinessCheck {
  return { name, ok, ...(ok || message === undefined ? {} : { message }) };
}
