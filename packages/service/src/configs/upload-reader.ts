import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Problem, Registry, RegistrySource } from '@headrace/engine';
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

/** Texts up to this size are read in the service thread: even a malicious one takes little time. */
const SMALL_CHARACTERS = 16 * 1024;
const TIMEOUT_MILLIS = 15_000;
const HEAP_MB = 1024;
/**
 * A thread that reaches its memory limit gets 16 MiB more to shut down in. The young generation can move to the old one
 * all at once: if it were larger than those 16 MiB, V8 would abort the whole process.
 */
const YOUNG_MB = 12;
/** How long an idle thread is kept for the next text. */
const IDLE_MILLIS = 10_000;
const MAX_WAITING = 16;
const NO_BYTES = new Uint8Array();
/** Jobs on texts that were read before. They are known to finish, so they run first. */
const STORED: ReadonlySet<ReaderKind> = new Set<ReaderKind>(['read', 'mask', 'diff']);

/** The message that the thread sends back. */
export type ReaderAnswer = { result: ReaderResult } | { refusal: SentApiError } | { error: string };

/** The parts of an `ApiError` that are sent between threads. */
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
  /** Jobs that wait for the thread: on stored texts, and on new ones. */
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

  /** Reads a config that runs without being stored in this form, with overrides. */
  readInline(text: string, format: ConfigFormat, overrides: string | undefined): Promise<InlineConfig> {
    return this.#perform({ kind: 'inline', text, format, overrides });
  }

  /** The problems of a text. Faster than `check`, because the config is not serialized. */
  problems(text: string, format: ConfigFormat): Promise<Problem[]> {
    return this.#perform({ kind: 'problems', text, format });
  }

  check(text: string, format: ConfigFormat): Promise<CheckedUpload> {
    return this.#perform({ kind: 'check', text, format });
  }

  /** The text with its secrets masked; undefined if they cannot be masked in place. */
  maskedText(text: string, format: ConfigFormat): Promise<string | undefined> {
    return this.#perform({ kind: 'mask', text, format });
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

  /** Refuses the current job and all waiting ones. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** Performs a job, here or in the thread. */
  async #perform<Kind extends ReaderKind>(
    job: { kind: Kind } & ReaderWork[Kind]['needs'],
  ): Promise<ReaderWork[Kind]['gives']> {
    const any = job as ReaderJob;
    return charactersOf(any) <= SMALL_CHARACTERS ? perform(any, this.#registry) : this.#queue(any);
  }

  /** Runs one job at a time, so that the total memory of all jobs is limited too. */
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
      // `#busy` stays true until the next job starts, so that no other job can slip in.
      if (next === undefined) this.#busy = false;
      else next();
    }
  }

  async #ask(job: ReaderJob): Promise<ReaderResult> {
    clearTimeout(this.#idle);
    if (this.#closed) throw closing();
    this.#worker ??= this.#spawn();
    const worker = this.#worker;
    const ended = new AbortController();
    const end = () => ended.abort();
    worker.once('exit', end);
    worker.postMessage(job);
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MILLIS), ended.signal]);
    let answer: ReaderAnswer;
    try {
      [answer] = (await once(worker, 'message', { signal })) as [ReaderAnswer];
    } catch (error) {
      this.#forget(worker);
      // Not awaited: a thread that hangs in a system call never ends.
      void worker.terminate();
      if (this.#closed) throw closing();
      // A thread that ran out of memory has sent an `error` event before.
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
    // Tests run the sources, where the file has another extension.
    const url = new URL(`./upload-reader-thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(url, {
      workerData: this.registry,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
      name: 'upload-reader',
    });
    worker.unref();
    // The waiting job rejects. Without a listener the event would end the process.
    worker.on('error', () => undefined);
    worker.once('exit', () => this.#forget(worker));
    return worker;
  }

  /** The next text gets a new thread. */
  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
  }
}

function closing(): ApiError {
  return new ApiError('HR_SHUTTING_DOWN', 'The service is shutting down and reads no more');
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
