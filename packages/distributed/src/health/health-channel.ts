import { BroadcastChannel } from 'node:worker_threads';
import type { PartitionLag } from './consumer-lag.ts';

/** What the thread of a role reports about its work. */
export interface ThreadHealth {
  /** The reason why the role makes no progress. Undefined if it works, or waits for messages. */
  readonly problem: string | undefined;
  /** What the role does, such as the partitions that it reads. */
  readonly work: string;
  /** Whether the brokers answer. */
  readonly isConnected: boolean;
  readonly lags: readonly PartitionLag[];
}

/** `ready`: the role reads or publishes. `ask`: a question of the process, which the thread answers. */
type Message = { readonly type: 'ready' } | { readonly type: 'ask' } | ({ readonly type: 'health' } & ThreadHealth);

/** The health of a role that does not answer. */
export const NOTHING: ThreadHealth = { problem: undefined, work: '', isConnected: false, lags: [] };

/** The maximum wait for an answer, in milliseconds. */
const WAIT_MS = 3000;

/** The health of a role, in the thread of its run. The thread has the Kafka client, so the process needs none. */
export class HealthAnswers {
  readonly #channel: BroadcastChannel;

  /** @param health returns the current health. Must not reject */
  constructor(runId: string, health: () => Promise<ThreadHealth>) {
    this.#channel = channelOf(runId);
    this.#channel.onmessage = ({ data }) => {
      if ((data as Message).type !== 'ask') return;
      void health().then((answer) => this.#channel.postMessage({ type: 'health', ...answer } satisfies Message));
    };
  }

  /** Must be called when the role reads or publishes. */
  ready(): void {
    this.#channel.postMessage({ type: 'ready' } satisfies Message);
  }

  close(): void {
    this.#channel.close();
  }
}

/** Asks the thread of a role for its health. */
export class HealthQuestions {
  readonly #channel: BroadcastChannel;
  readonly #waiting: ((health: ThreadHealth) => void)[] = [];

  /** @param onReady called when the role reads or publishes */
  constructor(runId: string, onReady: () => void) {
    this.#channel = channelOf(runId);
    this.#channel.onmessage = ({ data }) => {
      const message = data as Message;
      if (message.type === 'ready') onReady();
      else if (message.type === 'health') for (const resolve of this.#waiting.splice(0)) resolve(message);
    };
  }

  /** Never rejects. */
  async ask(): Promise<ThreadHealth> {
    const { promise, resolve } = Promise.withResolvers<ThreadHealth>();
    const timer = setTimeout(() => {
      const problem = `its thread has not answered for ${WAIT_MS / 1000} s`;
      resolve({ ...NOTHING, problem });
    }, WAIT_MS);
    this.#waiting.push(resolve);
    this.#channel.postMessage({ type: 'ask' } satisfies Message);
    const health = await promise;
    clearTimeout(timer);
    return health;
  }

  close(): void {
    this.#channel.close();
    for (const resolve of this.#waiting.splice(0)) resolve(NOTHING);
  }
}

/** Returns the channel of the threads of a run. It does not keep its thread alive. */
function channelOf(runId: string): BroadcastChannel {
  const channel = new BroadcastChannel(`headrace-health-${runId}`);
  channel.unref();
  return channel;
}
