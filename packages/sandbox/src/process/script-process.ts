import { finished } from 'node:stream/promises';
import { messageOf } from '../problems/message-of.ts';
import { type MakeError, placed, type ScriptProblem } from '../problems/script-problem.ts';
import { type LineMemory, readLines } from './line-reader.ts';
import { lockedInMillis } from './processor-time.ts';
import type { ScriptProgram, StartProgram } from './script-program.ts';

const MAX_ANSWER_CHARACTERS = 256 * 1024 * 1024;
/** The maximum length of a log line. The output of the script is logged. */
const MAX_LOG_CHARACTERS = 8192;
const MILLIS_TO_STOP = 5000;
/** The time between two checks of the processor time of a process. */
const MILLIS_BETWEEN_LOOKS = 1000;

/** The command and the limits of a script. */
export interface ScriptProcessOptions {
  /** The name of the script, used in messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly startProgram: StartProgram;
  /** A line of JSON that is sent to each new process before all requests. */
  readonly greeting?: string;
  /** The time limit until a process reports that it is ready. */
  readonly startMillis: number;
  /** The time limit of one call, counted from when the process can start it. No limit if absent. */
  readonly callMillis?: number | undefined;
  /**
   * The processor time limit of one call for all threads together, and of the time between two calls. It is for a
   * process in a boundary. A process that uses more is ended a few seconds later at the latest.
   */
  readonly processorMillis?: number;
  /** The error code of a call that exceeded its time limit. */
  readonly overdueCode?: string;
  /** Parses a line of JSON, with objects as maps. It may distinguish integers from decimals such as 1.0. Throws if the text is not JSON. */
  readonly readJson: (line: string) => unknown;
  /** Counts each answer until it has been parsed. */
  readonly memory: LineMemory;
  /** Creates the errors of `start` and `call`. */
  readonly makeError: MakeError;
  readonly logger: { info(text: string): void };
}

interface Call {
  readonly request: string;
  readonly onQuestion: ((question: unknown) => string) | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs a script in a separate process. The process stays running, and receives requests over its standard input: a
 * request is a line of JSON. The answers are lines of its standard output, in the order of the requests. If a process
 * dies, its current call fails, and later calls go to a new process. The process answers `{"value": …}` or `{"error":
 * {"message", "line", "code"}}`, with `"fatal": true` if it ends after the error. During a call it may also write
 * `{"ask": …}`, and then receives a line that starts with `=`. Its first line reports whether it is ready. Its standard
 * error is logged.
 */
export class ScriptProcess {
  readonly #options: ScriptProcessOptions;
  /** All unanswered calls, oldest first. They were sent to the child process, if there is one. */
  readonly #calls: Call[] = [];
  #child: ScriptProgram | undefined;
  #ready = false;
  #started: { resolve: () => void; reject: (error: Error) => void } | undefined;
  /** The reason why this class ended the child process, if it did. */
  #endReason: string | undefined;
  #endCode: string | undefined;
  #lastWords = '';
  #timer: NodeJS.Timeout | undefined;
  #meter: NodeJS.Timeout | undefined;

  constructor(options: ScriptProcessOptions) {
    this.#options = options;
  }

  /** Starts the process. Rejects if it cannot be started, is not ready in time, or refuses. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#started = { resolve, reject };
      this.#launch();
    });
  }

  /**
   * Sends a request, a line of JSON, and returns the script's answer.
   * @param onQuestion answers questions of the script during the call, with JSON
   * @returns a promise that rejects with an error, with the line of the script if known
   */
  call(request: string, onQuestion?: (question: unknown) => string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#calls.push({ request, onQuestion, resolve, reject });
      if (this.#child === undefined) this.#launch();
      else {
        this.#child.write(`${request}\n`);
        if (this.#ready && this.#calls.length === 1) this.#watch(this.#options.callMillis);
      }
    });
  }

  /** Asks the process to end, and kills it if it does not end. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#watch(undefined);
    clearInterval(this.#meter);
    const stopped = this.#options.makeError({ when: 'run', message: 'The stage has stopped' });
    for (const call of this.#calls.splice(0)) call.reject(stopped);
    if (child === undefined) return;
    const timer = setTimeout(() => child.kill(), MILLIS_TO_STOP);
    child.endInput();
    await child.ended.catch(() => undefined);
    clearTimeout(timer);
  }

  #launch(): void {
    const { command, args, env, startProgram, greeting, startMillis, logger, memory } = this.#options;
    const child = startProgram(command, args, { env, input: true });
    this.#child = child;
    this.#ready = false;
    this.#endReason = undefined;
    this.#endCode = undefined;
    this.#lastWords = '';
    this.#watch(startMillis);
    this.#watchProcessor(child);
    const answered = (line: string, cut: boolean) => {
      if (this.#child === child && this.#endReason === undefined) this.#answered(line, cut);
    };
    readLines(child.stdout, MAX_ANSWER_CHARACTERS, answered, memory);
    child.stdout.on('error', (error) => {
      const { code } = error as NodeJS.ErrnoException;
      if (this.#child === child) this.#end(`cannot give its answer: ${messageOf(error)}`, code);
    });
    readLines(child.stderr, MAX_LOG_CHARACTERS, (line) => {
      if (line.trim() !== '') this.#lastWords = line.trim();
      logger.info(line);
    });
    void this.#waitForEnd(child);
    if (greeting !== undefined) child.write(`${greeting}\n`);
    for (const { request } of this.#calls) child.write(`${request}\n`);
  }

  async #waitForEnd(child: ScriptProgram): Promise<void> {
    try {
      const [{ code, signal }] = await Promise.all([child.ended, finished(child.stdout), finished(child.stderr)]);
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      this.#ended(child, this.#lastWords === '' ? how : `${how}: ${this.#lastWords}`);
    } catch (error) {
      this.#ended(child, `cannot be run: ${messageOf(error)}`);
    }
  }

  #answered(line: string, cut: boolean): void {
    const { name, callMillis, makeError, readJson } = this.#options;
    const answer = cut ? undefined : parsed(line, readJson);
    if (answer === undefined) {
      this.#end(
        cut
          ? `gave more than ${MAX_ANSWER_CHARACTERS} characters`
          : `returned ${line.slice(0, 200)}, which is not an answer`,
      );
      return;
    }
    const error = answer.get('error');
    if (!this.#ready) {
      if (error !== undefined) {
        this.#startFailed(makeError(explained(error, name, 'start')));
        return;
      }
      this.#ready = true;
      this.#started?.resolve();
      this.#started = undefined;
    } else if (answer.has('ask')) {
      this.#child?.write(`=${this.#calls[0]?.onQuestion?.(answer.get('ask')) ?? 'null'}\n`);
      return;
    } else {
      const call = this.#calls.shift();
      if (error === undefined) call?.resolve(answer.get('value') ?? null);
      else call?.reject(makeError(explained(error, name, 'run')));
      if (error instanceof Map && error.get('fatal') === true) {
        this.#replace();
        return;
      }
    }
    this.#watch(this.#calls.length > 0 ? callMillis : undefined);
  }

  /** Ends a child process that is of no more use. Its current call fails when the process has ended. */
  #end(reason: string, code?: string): void {
    this.#endReason = reason;
    this.#endCode = code;
    this.#child?.kill();
  }

  #ended(child: ScriptProgram, how: string): void {
    if (this.#child !== child) return;
    const { name, command, makeError } = this.#options;
    const message = `${name}: the process of the script (${command}) ${this.#endReason ?? how}`;
    if (!this.#ready) {
      this.#startFailed(makeError({ when: 'start', message }));
      return;
    }
    this.#calls.shift()?.reject(makeError({ when: 'run', message, code: this.#endCode }));
    this.#replace();
  }

  /** Waits for the end of the child process, and starts another if there are calls. */
  #replace(): void {
    this.#child?.kill();
    this.#child = undefined;
    this.#watch(undefined);
    clearInterval(this.#meter);
    if (this.#calls.length > 0) this.#launch();
  }

  #startFailed(error: Error): void {
    this.#started?.reject(error);
    this.#started = undefined;
    for (const call of this.#calls.splice(0)) call.reject(error);
    this.#replace();
  }

  #watchProcessor(child: ScriptProgram): void {
    const { processorMillis, overdueCode } = this.#options;
    clearInterval(this.#meter);
    if (processorMillis === undefined) return;
    let call: Call | undefined;
    let since: number | undefined;
    this.#meter = setInterval(() => {
      const used = this.#ready && child.pid !== undefined ? lockedInMillis(child.pid) : undefined;
      if (used === undefined) return;
      if (since === undefined || call !== this.#calls[0]) {
        call = this.#calls[0];
        since = used;
      } else if (used - since > processorMillis) {
        this.#end(`took more than ${processorMillis / 1000} s of processor time`, overdueCode);
      }
    }, MILLIS_BETWEEN_LOOKS).unref();
  }

  #watch(millis: number | undefined): void {
    clearTimeout(this.#timer);
    if (millis === undefined) return;
    const what = this.#ready ? 'took more than' : 'was not ready after';
    this.#timer = setTimeout(() => this.#end(`${what} ${millis / 1000} s`, this.#options.overdueCode), millis);
  }
}

function parsed(line: string, readJson: (line: string) => unknown): Map<string, unknown> | undefined {
  try {
    const answer = readJson(line);
    return answer instanceof Map ? answer : undefined;
  } catch {
    return undefined;
  }
}

function explained(error: unknown, name: string, when: ScriptProblem['when']): ScriptProblem {
  const { message, line, code } = Object.fromEntries(error instanceof Map ? error : []);
  return { when, message: placed(String(message), name, typeof line === 'number' ? line : undefined), code };
}
