/**
 * The entry of the thread that keeps the processes of models. It forwards messages between a process and the thread
 * that uses it. When that thread closes its port or is terminated, the process is killed, even if it is computing.
 *
 * @module
 */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Ended, Request } from './messages.ts';

/** The end of what a process wrote to its standard error that may go into a message. */
const MAX_LAST_WORDS = 2000;

/** The first message has the graph of the model. */
type FromUser = Request & { readonly graph?: Uint8Array };

parentPort?.on('message', keep);

function keep(port: MessagePort): void {
  const entry = new URL(`./model-process-entry${extname(import.meta.url)}`, import.meta.url);
  const child = fork(fileURLToPath(entry), {
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    // The options of this process are not for the model: with --inspect, both would need the same port.
    execArgv: [],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-MAX_LAST_WORDS);
  });
  // If writing fails, the process has ended, and its end is reported separately.
  child.stdin?.on('error', () => undefined);
  child.on('message', (message) => port.postMessage(message));
  const end = (how: string) => {
    port.postMessage({ type: 'ended', how } satisfies Ended);
    port.close();
  };
  child.on('error', (error) => end(`cannot be used: ${error.message}`));
  child.on('close', (code, signal) => {
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    const words = lastWords.trim().split('\n').at(-1) as string;
    end(words === '' ? how : `${how}: ${words}`);
  });
  port.on('message', ({ graph, ...request }: FromUser) => {
    child.send(request, () => undefined);
    if (graph !== undefined) child.stdin?.end(graph);
  });
  port.on('close', () => child.kill('SIGKILL'));
}
