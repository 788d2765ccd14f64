import type { Schemas } from './api.generated.ts';
import { ApiError } from './api-error.ts';
import { readEvents } from './event-stream.ts';

type RunDetails = Schemas['RunDetails'];

/** The data of each event. docs/api.md explains them. */
interface EventData {
  queued: { readonly position: number };
  progress: RunDetails['progress'] & Pick<RunDetails, 'status'>;
  connector: RunDetails['progress']['connectors'][number] & { readonly created: number };
  failure: {
    readonly id: string;
    readonly connector: string;
    readonly at: string;
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly status?: number;
  };
  log: {
    readonly line: number;
    readonly time: number;
    readonly level: string;
    readonly logger: string;
    readonly message: string;
    readonly fields?: unknown;
  };
  gap: { readonly missed: number };
  done: RunDetails;
}

/** An event of a run. The last event is `done`. The type of `data` depends on `name`. */
export type RunEvent = {
  [Name in keyof EventData]: {
    readonly name: Name;
    readonly id: string | undefined;
    readonly data: EventData[Name];
  };
}[keyof EventData];

export interface WatchOptions {
  /** Starts after the event with this id. */
  readonly lastEventId?: string;
  /** Stops watching when it aborts. The run continues. */
  readonly signal?: AbortSignal;
}

/** The first and the longest wait before the next try to connect. */
const FIRST_WAIT_MILLIS = 500;
const LONGEST_WAIT_MILLIS = 15_000;

/**
 * Returns the events of a run until it is done. After a lost connection, a new one continues after the last event.
 * @param open requests the events after an id
 */
export async function* watch(
  open: (lastEventId: string | undefined) => Promise<Response>,
  { lastEventId, signal }: WatchOptions,
): AsyncGenerator<RunEvent> {
  let last = lastEventId;
  let wait = FIRST_WAIT_MILLIS;
  for (;;) {
    try {
      const response = await open(last);
      if (response.status === 204) return;
      for await (const { name, id, data } of readEvents(response.body as ReadableStream<Uint8Array>)) {
        wait = FIRST_WAIT_MILLIS;
        last = id ?? last;
        yield { name, id, data: JSON.parse(data) } as RunEvent;
        if (name === 'done') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayPass(error)) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MILLIS);
  }
}

/** Returns whether an error is temporary: a lost connection, or a service that is overloaded or restarting. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 502;
  return error instanceof TypeError;
}

function pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, millis);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
