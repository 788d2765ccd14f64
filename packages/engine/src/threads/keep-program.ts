import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { launchCommand, OWN_SESSION } from './confinement.ts';
import { type HelperMemory, TOO_MUCH_TOGETHER } from './helper-memory.ts';
import type { ProgramNews, ProgramRequest, ProgramStart } from './program-messages.ts';

type Started = ChildProcessByStdio<Writable | null, Readable, Readable>;

/**
 * Starts a program and sends its output to the port, piece by piece as its user asks. So a program that writes faster
 * than its user reads must wait. The program is killed when the port is closed.
 */
export function keepProgram(port: MessagePort, start: ProgramStart, memory: HelperMemory): void {
  const send = (news: ProgramNews) => port.postMessage(news);
  let child: Started;
  try {
    child = startProgram(start);
  } catch (failed) {
    send({ failed: failed as Error });
    port.close();
    return;
  }
  if (child.pid !== undefined) send({ pid: child.pid });
  // If writing fails, the program has ended, and its end is reported separately.
  child.stdin?.on('error', () => undefined);
  const streams = { stdout: child.stdout, stderr: child.stderr };
  for (const [name, stream] of Object.entries(streams) as ['stdout', Readable][]) {
    stream.pause().on('data', (bytes: Buffer) => {
      stream.pause();
      send({ stream: name, bytes });
    });
    stream.on('end', () => send({ stream: name, bytes: null }));
    stream.on('error', () => undefined);
  }
  const kill = () => {
    child.kill('SIGKILL');
    // Output that is not read would delay the event close.
    for (const stream of Object.values(streams)) stream.destroy();
  };
  let reason: string | undefined;
  // A program of the operator, which is not confined, may use what it needs.
  const unwatch = memory.watch(start.confined && child.pid, () => {
    reason = TOO_MUCH_TOGETHER;
    child.kill('SIGKILL');
  });
  child.on('error', (failed) => send({ failed }));
  child.on('close', (code, signal) => {
    unwatch();
    send({ code, signal, reason });
    port.close();
  });
  port.on('message', (request: ProgramRequest) => {
    if (request === 'kill') kill();
    else if (request === 'endInput') child.stdin?.end();
    else if ('write' in request) child.stdin?.write(request.write);
    else streams[request.read].resume();
  });
  port.on('close', kill);
}

/** Throws some errors of the operating system. Others, such as a program that is missing, are an event of the process. */
function startProgram({ program, args, env, files, input, confined }: ProgramStart): Started {
  const stdio = [input ? 'pipe' : 'ignore', 'pipe', 'pipe', ...files] as const;
  const path = pathOf(program, env.PATH);
  // If there is no such program, starting it reports this.
  const launch =
    path === undefined
      ? { command: program, args, env }
      : launchCommand({ command: path, args, env, files: files.length }, confined);
  const child = spawn(launch.command, launch.args, { env: launch.env, stdio: [...stdio], ...OWN_SESSION }) as Started;
  if (child.stdout) return child;
  // Node makes no streams if this process has too many open files.
  child.on('error', () => undefined);
  throw new Error(`spawn ${program}: this process has too many open files`);
}

/** Returns the path of a program; undefined if it does not exist or cannot be executed. */
function pathOf(program: string, path = ''): string | undefined {
  if (program.includes('/')) return [resolve(program)].find(isExecutable);
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
