import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { KeptSecrets, Problem, Registry, RegistrySource } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ServiceErrorCode } from '../errors/service-error-codes.ts';
import type { PreviewBody } from '../requests/preview-body.ts';
import type { RunBody } from '../requests/run-body.ts';
import type { ConfigFormat } from '../store/store.ts';
import type { CheckedUpload, InlineConfig, ReadUpload } from './check-upload.ts';
import type { ConfigChange } from './config-diff.ts';
import {
  type ConfigText,
  charactersOf,
  perform,
  type ReaderJob,
  type ReaderKind,
  type ReaderResult,
  type ReaderWork,
} from './reader-jobs.ts';

/**
 * The maximum size of a text that is read in the service thread. Even a malicious text of this size takes little time.
 */
const SMALL_CHARACTERS = 16 * 1024;
const TIMEOUT_MILLIS = 15_000;
const HEAP_MB = 1024;
/**
 * The young generation of the thread. V8 gives a thread that reaches its memory limit 16 MiB more to shut down. The
 * whole young generation can move to the old one in one step: if it were larger than 16 MiB, V8 would abort the
 * process.
 */
const YOUNG_MB = 12;
/** How long an idle thread waits for the next text before it ends. */
const IDLE_MILLIS = 10_000;
const MAX_WAITING = 16;
const NO_BYTES = new Uint8Array();
/** The jobs on stored texts. These texts were read before and are known to finish, so they run first. */
const STORED: ReadonlySet<ReaderKind> = new Set<ReaderKind>(['read', 'mask', 'diff']);

/** The answer of the thread to a job. */
export type ReaderAnswer = { result: ReaderResult } | { refusal: SentApiError } | { error: string };

/** The fields of an `ApiError` that are sent between threads. */
export interface SentApiError {
  code: ServiceErrorCode;
  message: string;
  details?: { hint: string };
}

/**
 * Reads uploads. Large texts are read in a separate thread with limits on time and memory. A text that exceeds them is
 * refused, and the service stays responsive.
 */
export class UploadReader {
  readonly #registry: Registry;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = false;
  #closed = false;
  /** The jobs that wait for the thread: jobs on stored texts, and jobs on new ones. */
  readonly #waiting = { stored: [] as (() => void)[], fresh: [] as (() => void)[] };

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The components that uploads may use. */
  get registry(): RegistrySource {
    return this.#registry.source;
  }

  read(text: string, format: ConfigFormat): Promise<ReadUpload> {
    return this.#perform({ kind: 'read', text, format });
  }

  /** Reads a config with overrides that is not stored in this form. */
  readInline(text: string, format: ConfigFormat, overrides: string | undefined): Promise<InlineConfig> {
    return this.#perform({ kind: 'inline', text, format, overrides });
  }

  /** Returns the problems of a text. This is faster than `check`, because the config is not serialized. */
  problems(text: string, format: ConfigFormat): Promise<Problem[]> {
    return this.#perform({ kind: 'problems', text, format });
  }

  check(text: string, format: ConfigFormat): Promise<CheckedUpload> {
    return this.#perform({ kind: 'check', text, format });
  }

  /** Returns the text with its secrets masked, or undefined if they cannot be masked in place. */
  maskedText(text: string, format: ConfigFormat): Promise<string | undefined> {
    return this.#perform({ kind: 'mask', text, format });
  }

  /** Replaces the masks in a text with the secrets of a stored text; see `keepSecrets`. */
  keepSecrets(sent: ConfigText, stored: ConfigText): Promise<KeptSecrets> {
    return this.#perform({ kind: 'keep', sent, stored });
  }

  diff(from: ConfigText, to: ConfigText): Promise<ConfigChange[]> {
    return this.#perform({ kind: 'diff', from, to });
  }

  /** Reads the body of a request for a run. */
  runBody(bytes: Uint8Array = NO_BYTES): Promise<RunBody> {
    return this.#perform({ kind: 'runBody', bytes });
  }

  /** Reads the body of a request for a preview. */
  previewBody(bytes: Uint8Array = NO_BYTES): Promise<PreviewBody> {
    return this.#perform({ kind: 'previewBody', bytes });
  }

  /** Refuses the current job and all waiting ones, and ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** Performs a small job in the service thread, and a large one in the separate thread. */
  async #perform<Kind extends ReaderKind>(
    job: { kind: Kind } & ReaderWork[Kind]['needs'],
  ): Promise<ReaderWork[Kind]['gives']> {
    const any = job as ReaderJob;
    return charactersOf(any) <= SMALL_CHARACTERS ? perform(any, this.#registry) : this.#queue(any);
  }

  /** Runs one job at a time in the thread, so that the total memory of all jobs is limited too. */
  async #queue(job: ReaderJob): Promise<ReaderResult> {
    const line = this.#waiting[STORED.has(job.kind) ? 'stored' : 'fresh'];
    if (line.length >= MAX_WAITING) {
      throw new ApiError('HR_CONFIG_READER_BUSY', `${MAX_WAITING} large bodies or configs are waiting to be read`, {
        headers: { 'retry-after': '5' },
        hint: 'Send it again in a few seconds.',
      });
    }
    if (this.#busy) await new Promise<void>((resolve) => line.push(resolve));
    this.#busy = true;
    try {
      return await this.#ask(job);
    } finally {
      const next = this.#waiting.stored.shift() ?? this.#waiting.fresh.shift();
      // `#busy` stays true until the next job starts, so that a new job cannot overtake it.
      if (next === undefined) this.#busy = false;
      else next();
    }
  }

  async #ask(job: ReaderJob): Promise<ReaderResult> {
    clearTimeout(this.#idle);
    if (this.#closed) throw closing();
    const isNew = this.#worker === undefined;
    this.#worker ??= this.#spawn();
    const worker = this.#worker;
    const ended = new AbortController();
    const end = () => ended.abort();
    worker.once('exit', end);
    let answer: ReaderAnswer;
    try {
      // A busy machine may need seconds to start the thread. The time limit is only for the text.
      if (isNew) await once(worker, 'message', { signal: ended.signal });
      worker.postMessage(job);
      const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MILLIS), ended.signal]);
      [answer] = (await once(worker, 'message', { signal })) as [ReaderAnswer];
    } catch (error) {
      this.#forget(worker);
      // Do not wait for the end: a thread that hangs in a system call never ends.
      void worker.terminate();
      if (this.#closed) throw closing();
      // A thread that ran out of memory sends an `error` event before it ends.
      if (ended.signal.aborted && (error as Error).name === 'AbortError')
        throw new Error('The thread that reads large texts has ended', { cause: error });
      throw refused(error, 'bytes' in job);
    } finally {
      worker.off('exit', end);
    }
    this.#idle = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, IDLE_MILLIS).unref();
    if ('error' in answer) throw new Error(answer.error);
    if ('refusal' in answer) throw new ApiError(answer.refusal.code, answer.refusal.message, answer.refusal.details);
    return answer.result;
  }

  #spawn(): Worker {
    // The file has another extension when tests run the TypeScript sources.
    const url = new URL(`./upload-reader-thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(url, {
      workerData: this.registry,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
      name: 'upload-reader',
    });
    worker.unref();
    // The waiting job rejects. Without this listener, the `error` event would end the process.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#forget(worker));
    return worker;
  }

  /** Forgets the thread, so that the next text gets a new one. */
  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
  }
}

function closing(): ApiError {
  return new ApiError('HR_SHUTTING_DOWN', 'The service is shutting down and does not read new texts');
}

function refused(error: unknown, body: boolean): ApiError {
  const { code, name } = error as { code?: string; name?: string };
  const reading = `Reading the ${body ? 'body' : 'config'} takes`;
  const why =
    name === 'AbortError'
      ? `${reading} longer than ${TIMEOUT_MILLIS / 1000} seconds`
      : code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `${reading} more than ${HEAP_MB} MiB of memory`
        : undefined;
  if (why === undefined) throw error;
  const hint = body ? 'Send fewer values.' : 'Make it smaller, with fewer substitutions.';
  return new ApiError(body ? 'HR_REQUEST_INVALID' : 'HR_CONFIG_REFUSED', why, { hint, cause: error });
}
