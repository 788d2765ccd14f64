import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { connectToLastingThread } from './lasting-thread.ts';
import type { ProgramEnd, ProgramNews, ProgramRequest, ProgramStart, ProgramStream } from './program-messages.ts';

export type { ProgramEnd };

/** What a program gets beside its arguments. */
export interface ProgramOptions {
  /** Defaults to the variables of this thread. */
  readonly env?: NodeJS.ProcessEnv;
  /** Open files that the program gets as its descriptors from 3. */
  readonly files?: readonly number[];
}

/** The bytes of a stream that are read before they are needed. */
const READ_AHEAD = 256 * 1024;

/**
 * A running program of the operating system, without an input. A thread that lasts starts it and waits for its end. So
 * the program is killed, and leaves no zombie process, when the thread that uses it is terminated.
 */
export class ChildProgram {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the program ended, after its output was read. Rejects if it could not be started. */
  readonly ended: Promise<ProgramEnd>;
  readonly #port: MessagePort;

  private constructor(port: MessagePort) {
    this.#port = port;
    this.stdout = this.#stream('stdout');
    this.stderr = this.#stream('stderr');
    this.ended = new Promise((resolve, reject) => {
      port.on('message', (news: ProgramNews) => {
        if ('stream' in news) this[news.stream].push(news.bytes);
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
  static async start(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<ChildProgram> {
    const { env = process.env, files = [] } = options;
    const entry = new URL(`./process-keeper-entry${extname(import.meta.url)}`, import.meta.url);
    const port = await connectToLastingThread(entry);
    // The variables of a thread are a special object.
    port.postMessage({ program, args, env: { ...env }, files } satisfies ProgramStart);
    return new ChildProgram(port);
  }

  /** Ends the program with SIGKILL. Output that was not read is lost. */
  kill(): void {
    this.#port.postMessage('kill' satisfies ProgramRequest);
  }

  #stream(name: ProgramStream): Readable {
    const read = () => this.#port.postMessage({ read: name } satisfies ProgramRequest);
    return new Readable({ highWaterMark: READ_AHEAD, read });
  }
}
