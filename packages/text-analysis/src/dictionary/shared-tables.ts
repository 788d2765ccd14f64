import { BroadcastChannel } from 'node:worker_threads';

/** A thread that shares tables with the other threads of its run. */
export interface SharingThread {
  /** The id of the run. Threads of other runs have separate tables. */
  readonly runId: string;
  /** The number of the thread, from 1. The first thread loads the tables. */
  readonly threadNumber: number;
}

/** The tables of a stage. They are freed when the last stage of a thread has released them. */
export interface HeldTables<T> {
  readonly tables: T;
  release(): void;
}

const CHANNEL = 'headrace/tables';
/**
 * How long a thread waits for the tables of another thread, which answers between two batches of documents. After this
 * time, memory for a second copy costs less than waiting.
 */
const PATIENCE_MILLIS = 15_000;

type Message =
  | { readonly type: 'wanted'; readonly key: string }
  | { readonly type: 'here'; readonly key: string; readonly tables: unknown };

interface Entry {
  readonly tables: Promise<unknown>;
  holders: number;
}

/** The tables of this thread. */
const held = new Map<string, Entry>();
/** The callbacks of threads that wait for tables, by key. */
const waiting = new Map<string, (tables: unknown) => void>();
let channel: BroadcastChannel | undefined;

/**
 * Returns tables in shared memory, which the pipeline threads of a run share. The first thread loads them before any
 * other thread exists, and later threads request them from it. Threads have only the process in common, so they use a
 * broadcast channel, which passes shared memory without a copy.
 * @param key identifies the tables and everything that they depend on
 * @param load creates the tables: plain data with arrays over `SharedArrayBuffer`s
 */
export async function holdTables<T>(
  key: string,
  context: SharingThread,
  load: () => Promise<T>,
): Promise<HeldTables<T>> {
  const name = `${context.runId}/${key}`;
  let entry = held.get(name);
  if (entry === undefined) {
    entry = { tables: context.threadNumber > 1 ? askOthers(name, load) : load(), holders: 0 };
    held.set(name, entry);
    openChannel();
  }
  entry.holders++;
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    entry.holders--;
    if (entry.holders > 0) return;
    held.delete(name);
    closeChannel();
  };
  try {
    return { tables: (await entry.tables) as T, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function askOthers<T>(key: string, load: () => Promise<T>): Promise<T> {
  openChannel();
  let timer: NodeJS.Timeout | undefined;
  const answer = await new Promise<unknown>((resolve) => {
    waiting.set(key, resolve);
    timer = setTimeout(resolve, PATIENCE_MILLIS, undefined);
    channel?.postMessage({ type: 'wanted', key } satisfies Message);
  });
  clearTimeout(timer);
  waiting.delete(key);
  return answer === undefined ? load() : (answer as T);
}

async function receive(message: Message): Promise<void> {
  if (message.type === 'here') {
    waiting.get(message.key)?.(message.tables);
    return;
  }
  const entry = held.get(message.key);
  if (entry === undefined || waiting.has(message.key)) return;
  const tables = await entry.tables.catch(() => undefined);
  if (tables !== undefined) channel?.postMessage({ type: 'here', key: message.key, tables } satisfies Message);
}

function openChannel(): void {
  if (channel !== undefined) return;
  channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (event) => void receive((event as { data: Message }).data);
  // The channel must not keep an idle thread alive.
  channel.unref();
}

function closeChannel(): void {
  if (held.size > 0 || waiting.size > 0) return;
  channel?.close();
  channel = undefined;
}
