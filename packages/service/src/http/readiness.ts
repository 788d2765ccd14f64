import { statfs } from 'node:fs/promises';
import { messageOf } from '@headrace/engine';
import type { EventLoop } from '../stats/event-loop.ts';
import type { Store } from '../store/store.ts';

const MIB = 1024 * 1024;
/** A service whose event loop was this late half of the time does not answer in time. A single delay is no reason. */
const MAX_LOOP_DELAY_SECONDS = 1;

/** One reason why the service may not be ready. */
export interface ReadinessCheck {
  name: string;
  ok: boolean;
  message?: string;
}

/**
 * Whether the service can do its work. Answers from what is known: it waits for nothing. What runs do, and the servers
 * that they talk to, is no part of it.
 */
export class Readiness {
  presetsLoaded = false;
  shuttingDown = false;
  readonly #store: Store;
  readonly #loop: Pick<EventLoop, 'lateness'>;
  readonly #minFreeMb: number;
  #freeBytes = Number.POSITIVE_INFINITY;
  /** Why the disk cannot be looked at. */
  #diskFailure: string | undefined;

  /** @param minFreeMb free space on the disk of the store, below which the service is not ready */
  constructor(store: Store, loop: Pick<EventLoop, 'lateness'>, minFreeMb: number) {
    this.#store = store;
    this.#loop = loop;
    this.#minFreeMb = minFreeMb;
  }

  /** Looks at what takes a moment to see: whether the store can be written, and the space on its disk. `checks` tells. */
  async probe(): Promise<void> {
    const { directory } = this.#store;
    await this.#store.probe();
    if (directory === undefined || this.#minFreeMb === 0) return;
    try {
      const { bavail, bsize } = await statfs(directory);
      this.#freeBytes = bavail * bsize;
      this.#diskFailure = undefined;
    } catch (error) {
      this.#diskFailure = `The disk of the store cannot be looked at: ${messageOf(error)}`;
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
