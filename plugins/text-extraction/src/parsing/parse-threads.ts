import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MemoryHold } from 'headrace/engine';
import type { ParsedFile, ParseRequest } from './parse-message.ts';

export interface ParseLimits {
  /** The heap of a thread, in MiB. */
  readonly memoryMb: number;
  /** The longest time for a file, in milliseconds. */
  readonly timeout: number;
}

/** A file that exceeded a limit, or that ended its thread, or a Tika server that failed. */
export class ParseFailure extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A file that expands to more than its limit. */
export class ExpandsTooMuch extends ParseFailure {}

/** There was not enough memory for a file, because other documents use it. It can be parsed again. */
export class NotEnoughMemory extends Error {
  /** The memory that the file had when there was no more, in bytes. */
  readonly used: number;

  constructor(used: number) {
    super('there was not enough memory');
    this.used = used;
  }
}

/** The memory of a thread that is not counted: its code, and what an ordinary file needs. */
const USUAL_BYTES = 64 * 1024 * 1024;
/** How often the memory of buffers is checked, in milliseconds. V8 limits the heap of a thread, but not its buffers. */
const MEMORY_CHECK_INTERVAL = 100;
/** A reader may copy the file once. */
const COPIES = 2;
const MIB = 1024 * 1024;
const EXPANSION_HINT =
  'Increase maxExpandedMb, if the file is not hostile. The memory of Headrace (limits.memoryMb) also limits it: one sixth.';

interface Task {
  readonly request: ParseRequest;
  readonly memory: MemoryHold | undefined;
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
  #waiting: Task[] = [];
  readonly #all = new Set<Worker>();
  #closed = false;

  /** @param most the maximum number of threads */
  constructor(limits: ParseLimits, most: number) {
    this.#limits = limits;
    this.#most = most;
  }

  /**
   * Parses a file. Rejects with a `ParseFailure` if it exceeds a limit.
   * @param memory counts the memory of the thread. If there is not enough, rejects with `NotEnoughMemory`
   */
  parse(request: ParseRequest, memory?: MemoryHold): Promise<ParsedFile> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, memory, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting) reject(new ParseFailure('the stage has stopped'));
    this.#waiting = [];
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

  #run(thread: Worker, { request, memory, resolve, reject }: Task): void {
    const { timeout, memoryMb } = this.#limits;
    const end = (reason: string | Error) => {
      stop();
      this.#all.delete(thread);
      void thread.terminate();
      reject(typeof reason === 'string' ? new ParseFailure(reason) : reason);
      this.#next();
    };
    const tooMuch = `parsing needed more than ${Math.floor(memoryMb)} MiB of memory (maxMemoryMb)`;
    const most = memoryMb * MIB + COPIES * request.bytes.length;
    const timer = setTimeout(() => end(`parsing took longer than ${timeout} ms (parseTimeout)`), timeout);
    let isRunning = true;
    const watch = setInterval(async () => {
      // The thread answers while it computes. It has no answer if it ended meanwhile.
      const used = await thread.getHeapStatistics().catch(() => undefined);
      if (!isRunning || used === undefined) return;
      if (used.external_memory > most) end(tooMuch);
      else if (memory !== undefined) {
        const bytes = used.external_memory + used.total_physical_size - USUAL_BYTES;
        if (bytes > memory.bytes && !memory.takeIfFree(bytes - memory.bytes)) end(new NotEnoughMemory(bytes));
      }
    }, MEMORY_CHECK_INTERVAL);
    const onMessage = (parsed: ParsedFile) => {
      stop();
      this.#idle.push(thread);
      const { problem } = parsed;
      if (problem?.kind === 'too large')
        reject(new ExpandsTooMuch(`${problem.message} (maxExpandedMb)`, EXPANSION_HINT));
      else resolve(parsed);
      this.#next();
    };
    const onError = (error: NodeJS.ErrnoException) => {
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch : error.message);
    };
    const onExit = () => end('parsing ended early');
    const stop = () => {
      isRunning = false;
      clearTimeout(timer);
      clearInterval(watch);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
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
    // An error of a thread that is ended has no other listener.
    thread.on('error', () => undefined);
    this.#all.add(thread);
    return thread;
  }
}
