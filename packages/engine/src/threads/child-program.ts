import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { allowedBytes, requiredBoundary } from '../policy/current-policy.ts';
import type { Confinement } from './confinement.ts';
import { connectToLastingThread } from './lasting-thread.ts';
import type { ProgramEnd, ProgramNews, ProgramRequest, ProgramStart, ProgramStream } from './program-messages.ts';

export type { ProgramEnd };

/** What a program gets beside its arguments. */
export interface ProgramOptions {
  /** Defaults to the variables of this thread, and to none for a confined program. */
  readonly env?: NodeJS.ProcessEnv;
  /** Open files that the program gets as its descriptors from 3. */
  readonly files?: readonly number[];
  /** Whether the program has a standard input, for `write`. */
  readonly input?: boolean;
  /**
   * For a program that reads files of others: what it may see and use. It starts in an empty directory. If the policy of
   * this thread requires a boundary, it runs in one. If the machine has none, `start` throws `HR_POLICY_NO_BOUNDARY`.
   */
  readonly confined?: Confinement | undefined;
}

/** The bytes of a stream that are read before they are needed. */
const READ_AHEAD = 256 * 1024;

/**
 * A running program of the operating system. A thread that lasts starts it and waits for its end. So
 * the program is killed, and leaves no zombie process, when the thread that uses it is terminated. On Linux, the kernel
 * ends it when this process ends, even if that is killed.
 */
export class ChildProgram {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the program ended, after its output was read. Rejects if it could not be started. */
  readonly ended: Promise<ProgramEnd>;
  readonly #port: MessagePort;
  #pid: number | undefined;
  /** What is written in this turn of the event loop. It is sent together: a message costs more than a short text. */
  #texts: string[] = [];

  private constructor(port: MessagePort) {
    this.#port = port;
    this.stdout = this.#stream('stdout');
    this.stderr = this.#stream('stderr');
    this.ended = new Promise((resolve, reject) => {
      port.on('message', (news: ProgramNews) => {
        if ('pid' in news) this.#pid = news.pid;
        else if ('stream' in news) this[news.stream].push(news.bytes);
        else if ('failed' in news) reject(news.failed);
        else resolve(news);
      });
      port.on('close', () => {
        for (const stream of [this.stdout, this.stderr]) if (!stream.readableEnded) stream.push(null);
        // This has no effect if it is known how the program ended.
        reject(new Error('The thread that keeps the program has ended'));
      });
    });
    // A user who reads only the output learns nothing, but nothing else ends.
    this.ended.catch(() => undefined);
  }

  /** Starts a program. If there is none with this path or name, `ended` rejects. */
  static start(program: string, args: readonly string[], options: ProgramOptions = {}): ChildProgram {
    const { files = [], input = false } = options;
    const env = options.env ?? (options.confined === undefined ? process.env : {});
    const confined = options.confined && {
      ...options.confined,
      maxBytes: allowedBytes(options.confined.maxBytes),
      boundary: requiredBoundary(),
    };
    const entry = new URL(`./process-keeper-entry${extname(import.meta.url)}`, import.meta.url);
    const port = connectToLastingThread(entry);
    // The variables of a thread are a special object.
    port.postMessage({ program, args, env: { ...env }, files, input, confined } satisfies ProgramStart);
    return new ChildProgram(port);
  }

  /** The number of the process, when it is known. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** Writes to the standard input. If the program has ended, the text is lost. */
  write(text: string): void {
    if (this.#texts.push(text) === 1) process.nextTick(() => this.#flush());
  }

  /** Closes the standard input. */
  endInput(): void {
    this.#flush();
    this.#port.postMessage('endInput' satisfies ProgramRequest);
  }

  /** Ends the program with SIGKILL. Output that was not read is lost. */
  kill(): void {
    this.#port.postMessage('kill' satisfies ProgramRequest);
  }

  #flush(): void {
    if (this.#texts.length === 0) return;
    this.#port.postMessage({ write: this.#texts.join('') } satisfies ProgramRequest);
    this.#texts = [];
  }

  #stream(name: ProgramStream): Readable {
    const read = () => this.#port.postMessage({ read: name } satisfies ProgramRequest);
    return new Readable({ highWaterMark: READ_AHEAD, read });
  }
}
