import type { Output } from '@headrace/client';
import { session } from '../api/session.svelte.ts';

/** The config of a preview. */
export interface PreviewSource {
  readonly id: string | undefined;
  readonly text: string;
  readonly preset: boolean;
  /** Documents of an example. */
  readonly documents: readonly unknown[];
  /** Receives the fields that documents of previews have. */
  addKnownFields(names: readonly string[]): void;
}

export type PreviewAnswer = Output<'POST /v1/preview'>;
type Body = Readonly<Record<string, unknown>>;

/** The pause in typing before a new preview, in milliseconds. */
const PAUSE_MILLIS = 80;

/** Requests previews, one at a time. Only the answer to the latest request is shown. */
export class PreviewRunner {
  #answer = $state.raw<PreviewAnswer>();
  #failure = $state.raw<unknown>();
  #busy = $state(false);
  #millis = $state<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;
  #last: Body | undefined;

  get answer(): PreviewAnswer | undefined {
    return this.#answer;
  }

  get failure(): unknown {
    return this.#failure;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** The duration of the last preview. */
  get millis(): number | undefined {
    return this.#millis;
  }

  request(body: Body): void {
    this.#last = body;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(body), PAUSE_MILLIS);
  }

  repeat(): void {
    if (this.#last !== undefined) void this.#run(this.#last);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }

  async #run(body: Body): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.#busy = true;
    const start = performance.now();
    try {
      const query = { trace: true };
      this.#answer = await session.client.call('POST /v1/preview', { query, body, signal: abort.signal });
      this.#failure = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#failure = error;
    }
    this.#millis = Math.round(performance.now() - start);
    this.#busy = false;
  }
}
