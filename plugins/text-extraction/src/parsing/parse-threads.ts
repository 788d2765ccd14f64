import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ParsedFile, ParseRequest } from './parse-message.ts';

export interface ParseLimits {
  /** The heap of a thread, in MiB. */
  readonly memoryMb: number;
  /** The longest time for a file, in milliseconds. */
  readonly timeout: number;
}

/** A file that exceeded a limit, or that ended its thread. */
export class ParseFailure extends Error {}

interface Task {
  readonly request: ParseRequest;
  resolve(parsed: ParsedFile): void;
  reject(error: Error): void;
}

/**
 * Parses files in threads with a limit of memory and time. A file that exceeds a limit ends its thread; the next file
 * gets a new one. So a hostile file fails alone.
 */
export class ParseThreads {
  readonly #limits: ParseLimits;
  readonly #most: number;
  readonly #idle: Worker[] = [];
  readonly #waiting: Task[] = [];
  readonly #all = new Set<Worker>();
  #closed = false;

  /** @param most the maximum number of threads */
  constructor(limits: ParseLimits, most: number) {
    this.#limits = limits;
    this.#most = most;
  }

  /** Parses a file. Rejects with a `ParseFailure` if it exceeds a limit. */
  parse(request: ParseRequest): Promise<ParsedFile> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }

  #next(): void {
    const [task] = this.#waiting;
    if (task === undefined || this.#closed) return;
    const thread = this.#idle.pop() ?? (this.#all.size < this.#most ? this.#start() : undefined);
    if (thread === undefined) return;
    this.#waiting.shift();
    this.#run(thread, task);
  }

  #run(thread: Worker, { request, resolve, reject }: Task): void {
    const { timeout, memoryMb } = this.#limits;
    const end = (error: Error) => {
      stop();
      this.#all.delete(thread);
      void thread.terminate();
      reject(error);
      this.#next();
    };
    const timer = setTimeout(() => end(new ParseFailure(`parsing took longer than ${timeout} ms`)), timeout);
    const onMessage = (parsed: ParsedFile) => {
      stop();
      this.#idle.push(thread);
      resolve(parsed);
      this.#next();
    };
    const onError = (error: NodeJS.ErrnoException) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      end(new ParseFailure(outOfMemory ? `parsing needed more than ${memoryMb} MiB of memory` : error.message));
    };
    const onExit = () => end(new ParseFailure('parsing ended early'));
    const stop = () => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      // An error of a thread that is ended has no other listener.
      thread.on('error', () => undefined);
    };
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(request);
  }

  #start(): Worker {
    const entry = new URL(`./parse-thread-entry${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(entry, {
      name: 'parse',
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb, maxYoungGenerationSizeMb: 32 },
      // What libraries print is not for the user of a run.
      stdout: true,
      stderr: true,
    });
    thread.unref();
    this.#all.add(thread);
    return thread;
  }
}
