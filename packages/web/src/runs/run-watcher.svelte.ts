import type { RunEvent } from '@headrace/client';
import { connection, SILENCE_MILLIS } from '../api/connection.svelte.ts';
import { isUnreachable } from '../api/query-client.ts';
import { session } from '../api/session.svelte.ts';
import type { RunDetails } from '../api/types.ts';

/** A line of the log of a run. */
export interface LogLine {
  readonly line: number;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly level: string;
  readonly logger: string;
  readonly message: string;
}

/** Returns the lines of a log, as the service returns it. */
export function logLines(text: string): readonly LogLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
}

/** The state of one run, which follows its events until the run is done. */
export class RunWatcher {
  readonly #id: string;
  readonly #abort = new AbortController();
  #details = $state.raw<RunDetails>();
  #failure = $state.raw<unknown>();
  #onLog: (line: LogLine) => void = () => {};
  /** Whether an event came since the last check. */
  #heard = false;

  constructor(id: string) {
    this.#id = id;
    void this.#follow();
  }

  get details(): RunDetails | undefined {
    return this.#details;
  }

  /** The reason why the run cannot be shown. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Sets the function that receives new lines of the log. */
  onLog(listener: (line: LogLine) => void): void {
    this.#onLog = listener;
  }

  /** Requests the run again, after the user has changed something. */
  async refresh(): Promise<void> {
    this.#details = await session.client.call('GET /v1/run/{id}', { path: { id: this.#id } });
  }

  stop(): void {
    this.#abort.abort();
  }

  async #follow(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      // After a lost connection, the client would wait longer and longer. A new stream starts when the service answers.
      const stream = new AbortController();
      const signal = AbortSignal.any([this.#abort.signal, stream.signal]);
      const ignore = connection.onReturn(() => stream.abort());
      const check = setInterval(() => this.#checkSilence(), SILENCE_MILLIS);
      try {
        await this.refresh();
        this.#failure = undefined;
        if (this.#details?.done) return;
        for await (const event of session.client.watchRun(this.#id, { signal })) this.#apply(event);
        await this.refresh();
        return;
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        if (!signal.aborted && !isUnreachable(error)) {
          this.#failure = error;
          return;
        }
        await this.#whenReachable();
      } finally {
        clearInterval(check);
        ignore();
      }
    }
  }

  /** Resolves when the service can be reached, or when watching stops. */
  #whenReachable(): Promise<void> {
    if (!connection.lost) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = connection.onReturn(resolve);
      this.#abort.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  }

  /** Requests the run if no event came for a while. A service that hangs is noticed, because it does not answer. */
  #checkSilence(): void {
    // An error also ends the stream of events, which handles it.
    if (!this.#heard && !connection.lost) this.refresh().catch(() => {});
    this.#heard = false;
  }

  #apply(event: RunEvent): void {
    this.#heard = true;
    if (this.#details === undefined) return;
    switch (event.name) {
      case 'queued':
        this.#details = { ...this.#details, status: 'QUEUED', queuePosition: event.data.position };
        break;
      case 'progress': {
        const { status, ...progress } = event.data;
        this.#details = { ...this.#details, status, progress };
        break;
      }
      case 'log':
        this.#onLog(event.data);
        break;
      case 'done':
        this.#details = event.data;
        break;
      default:
    }
  }
}
