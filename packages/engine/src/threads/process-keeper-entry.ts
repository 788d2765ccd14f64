/**
 * The entry of the thread that keeps helper processes and programs. It forwards messages between a process and the thread
 * that uses it. When that thread closes its port or is terminated, the process is killed, even if it is computing. This
 * thread lasts as long as the process, so it is the parent with which the helpers end.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { launchCommand, OWN_SESSION } from './confinement.ts';
import { FrameReader, frameHeader } from './frames.ts';
import { HelperMemory, TOO_MUCH_TOGETHER } from './helper-memory.ts';
import type { HelperAnswer, HelperCall, HelperEnd, HelperStart } from './helper-messages.ts';
import { keepProgram } from './keep-program.ts';
import type { ProgramStart } from './program-messages.ts';

/** The end of what a process wrote to its standard error that may go into a message. */
const MAX_LAST_WORDS = 2000;
/** A helper that sends more is not believed: its library may have been taken over by a file. */
const MAX_ANSWER_BYTES = 1024 * 1024 * 1024;
/** The maximum delay of setTimeout in milliseconds, about 24 days. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;
/** The options of Node that say where packages are. Others are not for a helper: with --inspect, it needs the same port. */
const CONDITIONS = process.execArgv.filter((option) => option.startsWith('--conditions='));

const memory = new HelperMemory();

parentPort?.on('message', (port: MessagePort) => {
  port.once('message', (start: HelperStart | ProgramStart) => {
    if ('program' in start) keepProgram(port, start, memory);
    else keep(port, start);
  });
});

function keep(port: MessagePort, { module, input, confined, callMillis }: HelperStart): void {
  const entry = new URL(`./helper-process-entry${extname(import.meta.url)}`, import.meta.url);
  const args = [
    ...CONDITIONS,
    '--no-warnings',
    fileURLToPath(entry),
    module,
    ...(input === undefined ? [] : ['input']),
  ];
  const launch = launchCommand({ command: process.execPath, args, env: {}, files: 1 }, confined);
  const stdio = ['pipe', 'ignore', 'pipe', 'pipe'] as const;
  const child = spawn(launch.command, launch.args, { env: launch.env, stdio: [...stdio], ...OWN_SESSION });
  const [requests, , errors, answers] = child.stdio as unknown as [Writable, null, Readable, Readable];
  let lastWords = '';
  errors?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-MAX_LAST_WORDS);
  });
  let broken: string | undefined;
  let calls = 0;
  let code: HelperEnd['code'];
  let timer: NodeJS.Timeout | undefined;
  /** Restarts the clock: it measures the oldest call, from when the process could start it. */
  const watch = () => {
    clearTimeout(timer);
    if (callMillis === undefined || calls === 0) return;
    timer = setTimeout(
      () => {
        code = 'HR_STAGE_OVERDUE';
        broken = `took longer than ${callMillis / 1000} s for a call`;
        child.kill('SIGKILL');
      },
      Math.min(callMillis, MAX_TIMER_MILLIS),
    );
  };
  const reader = new FrameReader(MAX_ANSWER_BYTES, (content) => {
    port.postMessage(readAnswer(content));
    calls--;
    watch();
  });
  answers?.on('data', (bytes: Buffer) => {
    if (broken !== undefined) return;
    try {
      reader.add(bytes);
    } catch (error) {
      broken = `gave an answer that cannot be read: ${(error as Error).message}`;
      child.kill('SIGKILL');
    }
  });
  // If writing or reading fails, the process has ended, and its end is reported separately.
  for (const stream of [requests, answers]) stream?.on('error', () => undefined);
  const send = (content: Uint8Array) => {
    requests?.write(frameHeader(content.length));
    requests?.write(content);
  };
  if (input !== undefined) send(input);
  const unwatch = memory.watch(child.pid, () => {
    code = 'HR_MEMORY_LIMIT';
    broken = `was ended: ${TOO_MUCH_TOGETHER}`;
    child.kill('SIGKILL');
  });
  const end = (how: string) => {
    clearTimeout(timer);
    unwatch();
    port.postMessage({ how, code } satisfies HelperEnd);
    port.close();
  };
  child.on('error', (error) => end(`cannot be used: ${error.message}`));
  child.on('close', (exitCode, signal) => {
    const how = broken ?? (signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`);
    const words = lastLine(lastWords);
    end(words === '' ? how : `${how}: ${words}`);
  });
  port.on('message', (call: HelperCall) => {
    send(serialize(call));
    if (++calls === 1) watch();
  });
  port.on('close', () => child.kill('SIGKILL'));
}

/** Returns the last line of what a process wrote, or the error with which Node ended. */
function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  return lines.findLast((line) => /^\w*Error\b.*: /.test(line)) ?? (lines.at(-1) as string);
}

/** Returns an answer. Throws if it has another form. */
function readAnswer(content: Buffer): HelperAnswer {
  const answer = deserialize(content) as Partial<HelperAnswer & { value: unknown; error: { message?: unknown } }>;
  const { id, error } = answer ?? {};
  const isAnswer = typeof id === 'number' && (error === undefined || typeof error?.message === 'string');
  if (!isAnswer) throw new Error('it is not an answer');
  return answer as HelperAnswer;
}
