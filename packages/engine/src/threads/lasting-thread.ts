import {
  getEnvironmentData,
  MessageChannel,
  type MessagePort,
  postMessageToThread,
  setEnvironmentData,
  threadId,
  Worker,
} from 'node:worker_threads';

/** The key of the number of the thread that starts lasting threads. Threads inherit it. */
const STARTER = 'headrace:starter';
const CONNECT = 'headrace:connect';

interface ConnectMessage {
  readonly type: typeof CONNECT;
  readonly entry: string;
  readonly port: MessagePort;
}

/** The lasting threads that this thread started, by their modules. */
const started = new Map<string, Worker>();

/** Makes this thread start the lasting threads that its child threads and their child threads need. */
export function startLastingThreads(): void {
  if (getEnvironmentData(STARTER) !== undefined) return;
  setEnvironmentData(STARTER, threadId);
  process.on('workerMessage', (message: Partial<ConnectMessage> | undefined) => {
    if (message?.type !== CONNECT) return;
    const { entry, port } = message as ConnectMessage;
    connect(entry, port);
  });
}

/**
 * Connects to a thread that does not end with the threads of a run, and is shared by all runs of the process. It is
 * started if necessary. A thread of a run may be ended at any time, and the child threads with it. So it must not own
 * what has to be cleaned up: only a thread that lasts can end and wait for child processes.
 * @param entry the module of the thread. Its `parentPort` receives a `MessagePort` for each connection. The port of a
 * thread that is ended is closed.
 */
export function connectToLastingThread(entry: URL): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const starter = getEnvironmentData(STARTER);
  if (typeof starter !== 'number' || starter === threadId) {
    connect(entry.href, port2);
  } else {
    const message: ConnectMessage = { type: CONNECT, entry: entry.href, port: port2 };
    // If this thread cannot reach the starter, the user of the port sees it close.
    postMessageToThread(starter, message, [port2]).catch(() => port1.close());
  }
  return port1;
}

function connect(entry: string, port: MessagePort): void {
  const thread = started.get(entry) ?? start(entry);
  thread.postMessage(port, [port]);
}

function start(entry: string): Worker {
  const thread = new Worker(new URL(entry), { name: 'lasting' });
  started.set(entry, thread);
  thread.unref();
  // The ports of a thread that ended by an error are closed, so their users learn about it.
  thread.on('error', () => undefined);
  thread.once('exit', () => started.delete(entry));
  return thread;
}
