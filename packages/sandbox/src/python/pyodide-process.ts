import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EMBEDDED_PYTHON } from './embedded-python.ts';
import type { PythonCommand } from './python-command.ts';

/** The part of Pyodide that is used here. */
interface Pyodide {
  runPython(code: string): unknown;
  unregisterJsModule(name: string): void;
  setInterruptBuffer(buffer: object): void;
}

type OpenScript = (greeting: string, ask: (question: string) => string) => [RunScript | undefined, string];
type RunScript = (request: string) => string;

const WASM_PAGE_BYTES = 65536;

/**
 * The program of a Node process that runs Python in Pyodide, see `ScriptProcess`. Its source is passed to Node as text,
 * so it must not use anything outside itself.
 */
async function servePython(
  loadPyodide: (options: object) => Promise<Pyodide>,
  fs: typeof import('node:fs'),
  process: NodeJS.Process,
  python: string,
  library: string | undefined,
  lock: () => void,
): Promise<void> {
  let rest = '';
  const buffer = Buffer.alloc(65536);
  const decoder = new TextDecoder();
  /** Reads synchronously. Python could use the event loop to run something later. */
  const readLine = (): string | undefined => {
    const pieces: string[] = [];
    for (;;) {
      const end = rest.indexOf('\n');
      if (end >= 0) {
        pieces.push(rest.slice(0, end));
        rest = rest.slice(end + 1);
        return pieces.join('');
      }
      pieces.push(rest);
      const bytes = fs.readSync(0, buffer);
      if (bytes === 0) return undefined;
      rest = decoder.decode(buffer.subarray(0, bytes), { stream: true });
    }
  };
  const write = (file: number, line: string) => {
    const bytes = Buffer.from(`${line}\n`);
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
  };
  const fail = (error: unknown) => {
    write(1, JSON.stringify({ error: { message: String(error).split('\n', 1)[0], fatal: true } }));
    process.exit();
  };

  const print = (line: string) => write(2, line);
  const requests: string[] = [];
  const ask = (question: string): string => {
    write(1, question);
    for (;;) {
      const line = readLine();
      if (line === undefined) process.exit();
      if (line.startsWith('=')) return line.slice(1);
      requests.push(line);
    }
  };
  try {
    const greeting = readLine() ?? process.exit();
    const { millis } = JSON.parse(greeting) as { millis?: number };
    const pyodide = await loadPyodide({
      jsglobals: {},
      stdLibURL: library,
      stdin: () => null,
      stdout: print,
      stderr: print,
    });
    const openScript = pyodide.runPython(python) as OpenScript;
    for (const name of ['js', 'pyodide_js']) pyodide.unregisterJsModule(name);
    lock();
    const [run, answer] = openScript(greeting, ask);
    write(1, answer);
    if (run === undefined) return process.exit();

    const processorMillis = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    let deadline = Number.POSITIVE_INFINITY;
    if (millis !== undefined) {
      // Python regularly checks here whether it must stop, and resets the flag. After an interrupt it gets some time to
      // report the error.
      pyodide.setInterruptBuffer({
        get 0() {
          if (processorMillis() < deadline) return 0;
          deadline += 100;
          return 2;
        },
        set 0(_taken: number) {},
      });
    }
    for (;;) {
      const request = requests.shift() ?? readLine();
      if (request === undefined) return process.exit();
      if (millis !== undefined) deadline = processorMillis() + millis;
      const answer = run(request);
      deadline = Number.POSITIVE_INFINITY;
      write(1, answer);
    }
  } catch (error) {
    fail(error);
  }
}

/** Returns the directory of the optional package, or undefined if it is not installed. */
export function findPyodide(
  resolve: (id: string) => string = createRequire(import.meta.url).resolve,
): string | undefined {
  try {
    return realpathSync(dirname(resolve('pyodide/package.json')));
  } catch {
    return undefined;
  }
}

/**
 * Returns the compiled standard library for the installed version of Pyodide, or undefined if the build compiled
 * another version. Python then compiles what it loads, and its start takes four times as long.
 */
function compiledLibrary(folder: string): string | undefined {
  const home = findPackageJSON(import.meta.url);
  if (home === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const file = join(dirname(home), 'python-library', `${version}.zip`);
  return existsSync(file) ? realpathSync(file) : undefined;
}

/**
 * Removes everything that Python could use if it got access to JavaScript. This is a second line of defence, not a
 * boundary. Its source is also passed to Node as text.
 * @param denyImports a function that makes every later import fail
 */
function lockNode(denyImports: () => void): void {
  denyImports();
  const names = ['getBuiltinModule', '_linkedBinding', '_debugProcess', '_debugEnd', 'dlopen', 'execve'];
  for (const name of [...names, 'report', 'mainModule', 'loadEnvFile']) {
    Object.defineProperty(process, name, { value: undefined, configurable: false });
  }
  Object.defineProperty(globalThis, 'process', { value: undefined, configurable: false });
  // Python could put a getter on a prototype, and the code around Python would call it.
  const known = [
    Object,
    Function,
    Array,
    String,
    Number,
    Boolean,
    Symbol,
    BigInt,
    Promise,
    Error,
    Map,
    Set,
    Date,
    RegExp,
  ];
  for (const { prototype } of [...known, Uint8Array, ArrayBuffer]) Object.seal(prototype);
}

/** The address space that V8 reserves for code. V8 uses only as much as its heap limit allows. */
const RESERVED_BYTES = 512 * 1024 * 1024;
/** The heap limit of the JavaScript around Python, including compiled code. */
const MAX_HEAP_MIB = 96;
/** The memory of the process in addition to the memory of Python. Node itself takes half of it. */
const BYTES_AROUND_PYTHON = 256 * 1024 * 1024;

/**
 * Returns the command that starts Python in a Node process that may read only the files of Pyodide: no other files, no
 * network, no processes, no environment. If Python gets access to JavaScript, it cannot create code from texts.
 * @param maxBytes the maximum memory of Python, including Pyodide itself
 * @param inBoundary whether the process will be in a boundary of the operating system, which limits the memory of the
 * whole process to 256 MiB more
 */
export function pyodideCommand(folder: string, maxBytes: number, inBoundary: boolean): PythonCommand {
  const library = compiledLibrary(folder);
  const program = `import(${JSON.stringify(pathToFileURL(join(folder, 'pyodide.mjs')).href)}).then(({ loadPyodide }) => {
    const fs = process.getBuiltinModule('node:fs');
    const { registerHooks } = process.getBuiltinModule('node:module');
    const denyImports = () => registerHooks({ resolve: () => { throw new Error('There are no modules here'); } });
    // Pyodide asks for system values here, which is not allowed any more.
    process.binding = () => ({ fs: fs.constants });
    // The permissions do not cover these functions.
    process.kill = process._kill = undefined;
    return (${servePython.toString()})(loadPyodide, fs, process, ${JSON.stringify(EMBEDDED_PYTHON)}, ${JSON.stringify(library)}, () => (${lockNode.toString()})(denyImports));
  });`;
  const readable = [folder, library].flatMap((path) => (path === undefined ? [] : [`--allow-fs-read=${path}`]));
  const permissions = ['--permission', ...readable, '--disallow-code-generation-from-strings'];
  const memory = `--wasm-max-mem-pages=${maxBytes / WASM_PAGE_BYTES}`;
  const without = ['--no-experimental-sqlite', '--no-experimental-ffi', '--disable-sigusr1'];
  const args = [...permissions, ...without, memory, '--no-warnings', '-e', program];
  if (!inBoundary) return { command: process.execPath, args, confined: undefined };
  return {
    command: process.execPath,
    // Fewer threads take less memory. They are also faster with such a small heap.
    args: [`--max-old-space-size=${MAX_HEAP_MIB}`, '--v8-pool-size=1', '--single-threaded-gc', ...args],
    confined: {
      mounts: [
        { source: folder, target: folder, kind: 'directory' },
        ...(library === undefined ? [] : [{ source: library, target: library, kind: 'file' as const }]),
      ],
      maxBytes: RESERVED_BYTES + maxBytes + BYTES_AROUND_PYTHON,
    },
  };
}
