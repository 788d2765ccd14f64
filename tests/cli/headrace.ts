import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach } from 'vitest';

/** The root folder of the repository. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The path of the `headrace` command that users start. */
export const binary = join(repository, 'packages/headrace/bin/headrace.js');

/** The exit code, signal and output of a command. */
export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface Surroundings {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
  /** Command-line options of Node. */
  nodeOptions?: readonly string[];
}

/** A running command. */
export interface Started {
  child: ChildProcess;
  /** The output so far. */
  readonly output: Readonly<Record<'stdout' | 'stderr', string>>;
  /** Resolves when the output of the command contains this text. Rejects if the command ends before. */
  said(stream: 'stdout' | 'stderr', text: string): Promise<void>;
  ended: Promise<Outcome>;
}

/** The processes and folders of a test, or of the hooks of its file. */
class Belongings {
  readonly children = new Set<ChildProcess>();
  readonly directories: string[] = [];

  /** Ends the processes first, so that they do not write to a folder while it is removed. */
  async remove(): Promise<void> {
    await Promise.all(
      [...this.children].map((child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        return ended;
      }),
    );
    for (const directory of this.directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  }
}

const ofFile = new Belongings();
const ofTest = new Belongings();
let owner = ofFile;

/** Starts the command line in a separate process. The process is killed after the test, or after the test file. */
export function start(args: readonly string[], surroundings: Surroundings = {}): Started {
  const child = spawn(process.execPath, [...(surroundings.nodeOptions ?? []), binary, ...args], {
    cwd: surroundings.cwd ?? repository,
    env: { ...process.env, ...surroundings.env },
  });
  const { children } = owner;
  children.add(child);
  child.once('exit', () => children.delete(child));
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
      child.emit('said');
    });
  }
  child.stdin?.end(surroundings.input);
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on('close', (code, signal) => {
      const strange = args[0] === 'run' ? linesWithoutJson(output.stderr) : [];
      if (strange.length === 0) resolve({ code, signal, ...output });
      else reject(new Error(`Standard error of run has lines that are not JSON objects:\n${strange.join('\n')}`));
    });
  });
  // The caller may not wait for the end, so a rejection must not count as unhandled.
  ended.catch(() => undefined);
  const said = (stream: 'stdout' | 'stderr', text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (output[stream].includes(text)) resolve();
      };
      child.on('said', look);
      child.on('close', () =>
        reject(new Error(`The command ended without the output "${text}":\n${output.stdout}${output.stderr}`)),
      );
      look();
    });
  return { child, output, said, ended };
}

/** Returns the lines of a run's standard error that are not JSON objects. Programs read it line by line. */
function linesWithoutJson(text: string): string[] {
  return text.split('\n').filter((line) => {
    if (line === '') return false;
    try {
      return typeof JSON.parse(line) !== 'object';
    } catch {
      return true;
    }
  });
}

/** Runs a command line and waits until it ends. */
export function headrace(args: readonly string[], surroundings?: Surroundings): Promise<Outcome> {
  return start(args, surroundings).ended;
}

/** Creates a folder with these files, by relative path. It is removed after the test, or after the test file. */
export function directoryWith(files: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-cli-'));
  owner.directories.push(directory);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

/** Makes `headrace` an installed package of a folder, so that custom components there can import it. */
export function installHeadrace(directory: string): void {
  const target = join(directory, 'node_modules/headrace');
  mkdirSync(target, { recursive: true });
  const folder = join(repository, 'packages/headrace');
  writeFileSync(
    join(target, 'package.json'),
    JSON.stringify({ name: 'headrace', type: 'module', exports: './index.js' }),
  );
  writeFileSync(join(target, 'index.js'), `export * from ${JSON.stringify(join(folder, 'dist/index.js'))};\n`);
}

beforeEach(() => {
  owner = ofTest;
});

afterEach(async () => {
  owner = ofFile;
  await ofTest.remove();
});

afterAll(async () => {
  // If another hook after a test fails, the hook above does not run.
  await ofTest.remove();
  await ofFile.remove();
});
