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
export const IDLE_HEALTH: ThreadHealth = { problem: undefined, work: '', isConnected: false, lags: [] };

/** The maximum wait for an answer, in milliseconds. */
const WAIT_MS = 3000;

/** The questions of this thread, by the id of the run. */
const ofThisThread = new Map<string, HealthQuestions>();

/** The health of a role, in the thread of its run. The thread has the Kafka client, so the process needs none. */
export class HealthAnswers {
  readonly #health: () => Promise<ThreadHealth>;
  /** Set if the process asks in the same thread. With a channel, this thread would load the fetch of Node: 4 MiB. */
  readonly #questions: HealthQuestions | undefined;
  readonly #channel: BroadcastChannel | undefined;

  /** @param health returns the current health. Must not reject */
  constructor(runId: string, health: () => Promise<ThreadHealth>) {
    this.#health = health;
    this.#questions = ofThisThread.get(runId);
    if (this.#questions !== undefined) return;
    this.#channel = channelOf(runId, (message) => message.type === 'ask' && void this.#answer());
  }

  /** Must be called when the role reads or publishes. */
  ready(): void {
    this.#questions?.receive({ type: 'ready' }, () => this.#answer());
    this.#channel?.postMessage({ type: 'ready' } satisfies Message);
  }

  close(): void {
    this.#channel?.close();
  }

  async #answer(): Promise<void> {
    const message: Message = { type: 'health', ...(await this.#health()) };
    this.#questions?.receive(message);
    this.#channel?.postMessage(message);
  }
}

/** Asks the thread of a role for its health. */
export class HealthQuestions {
  readonly #runId: string;
  readonly #onReady: () => void;
  readonly #channel: BroadcastChannel;
  readonly #waiting: ((health: ThreadHealth) => void)[] = [];
  /** Asks a role in the same thread. */
  #askHere: (() => void) | undefined;

  /** @param onReady called when the role reads or publishes */
  constructor(runId: string, onReady: () => void) {
    this.#runId = runId;
    this.#onReady = onReady;
    this.#channel = channelOf(runId, (message) => this.receive(message));
    ofThisThread.set(runId, this);
  }

  /** Receives a message of the role. A role in the same thread also passes the function that asks it. */
  receive(message: Message, askHere?: () => void): void {
    this.#askHere ??= askHere;
    if (message.type === 'ready') this.#onReady();
    else if (message.type === 'health') for (const resolve of this.#waiting.splice(0)) resolve(message);
  }

  /** Never rejects. */
  async ask(): Promise<ThreadHealth> {
    const { promise, resolve } = Promise.withResolvers<ThreadHealth>();
    const timer = setTimeout(() => {
      const problem = `its thread has not answered for ${WAIT_MS / 1000} s`;
      resolve({ ...IDLE_HEALTH, problem });
    }, WAIT_MS);
    this.#waiting.push(resolve);
    if (this.#askHere === undefined) this.#channel.postMessage({ type: 'ask' } satisfies Message);
    else this.#askHere();
    const health = await promise;
    clearTimeout(timer);
    return health;
  }

  close(): void {
    ofThisThread.delete(this.#runId);
    this.#channel.close();
    for (const resolve of this.#waiting.splice(0)) resolve(IDLE_HEALTH);
  }
}

/** Returns the channel of the threads of a run. It does not keep its thread alive. */
function channelOf(runId: string, receive: (message: Message) => void): BroadcastChannel {
  const channel = new BroadcastChannel(`headrace-health-${runId}`);
  channel.onmessage = ({ data }) => receive(data as Message);
  channel.unref();
  return channel;
}
