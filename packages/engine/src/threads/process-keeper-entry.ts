/**
 * The entry of the thread that keeps helper processes and programs. It forwards messages between a process and the thread
 * that uses it. When that thread closes its port or is terminated, the process is killed, even if it is computing.
 *
 * @module
 */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { HelperCall, HelperEnd, HelperStart } from './helper-messages.ts';
import { keepProgram } from './keep-program.ts';
import type { ProgramStart } from './program-messages.ts';

/** The end of what a process wrote to its standard error that may go into a message. */
const MAX_LAST_WORDS = 2000;
/** The options of Node that say where packages are. Others are not for a helper: with --inspect, it needs the same port. */
const CONDITIONS = process.execArgv.filter((option) => option.startsWith('--conditions='));

parentPort?.on('message', (port: MessagePort) => {
  port.once('message', (start: HelperStart | ProgramStart) => {
    if ('program' in start) keepProgram(port, start);
    else keep(port, start);
  });
});

function keep(port: MessagePort, { module, input }: HelperStart): void {
  const entry = new URL(`./helper-process-entry${extname(import.meta.url)}`, import.meta.url);
  const child = fork(fileURLToPath(entry), [module], {
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    execArgv: CONDITIONS,
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-MAX_LAST_WORDS);
  });
  // If writing fails, the process has ended, and its end is reported separately.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  child.on('message', (message) => port.postMessage(message));
  const end = (how: string) => {
    port.postMessage({ how } satisfies HelperEnd);
    port.close();
  };
  child.on('error', (error) => end(`cannot be used: ${error.message}`));
  child.on('close', (code, signal) => {
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    const words = lastWords.trim().split('\n').at(-1) as string;
    end(words === '' ? how : `${how}: ${words}`);
  });
  port.on('message', (call: HelperCall) => {
    child.send(call, () => undefined);
  });
  port.on('close', () => child.kill('SIGKILL'));
}
