import { Worker } from 'node:worker_threads';

/** A process that uses less has nothing worth returning. In bytes. */
const SMALL_BYTES = 256 * 2 ** 20;
/** Threads that end together are one reason to return memory. */
const SOON_MILLIS = 1000;
const BETWEEN_MILLIS = 10_000;

/** Calls `malloc_trim(0)` of the C library. It throws where the library (musl, macOS) or Node has no such function. */
const TRIM = `process.getBuiltinModule('node:ffi')
  .dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } })
  .functions.malloc_trim(0n)`;

/**
 * Returns memory to the system that ended threads have freed. The C library (glibc) keeps small blocks, such as pieces of
 * HTTP answers, until it needs them again: after the memory bombs of tests/service, a service kept 1237 MiB, and 297 MiB
 * with this. The call takes about 0.2 s for 700 MiB, so it has its own thread.
 */
export class FreedMemory {
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #isPossible = process.platform === 'linux';

  /** Call this when a thread has ended. */
  returnSoon(): void {
    if (!this.#isPossible || this.#timer !== undefined) return;
    const wait = Math.max(SOON_MILLIS, this.#last + BETWEEN_MILLIS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#last = Date.now();
      if (process.memoryUsage.rss() > SMALL_BYTES) this.#return();
    }, wait).unref();
  }

  #return(): void {
    const worker = new Worker(TRIM, { eval: true, execArgv: ['--disable-warning=ExperimentalWarning'] });
    worker.unref();
    worker.once('error', () => {
      this.#isPossible = false;
    });
  }
}
