import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HeadraceError } from '@headrace/engine';
import { EMBEDDED_PYTHON } from './embedded-python.ts';

/** The little of Pyodide that is used. */
interface Pyodide {
  runPython(code: string): unknown;
  unregisterJsModule(name: string): void;
  setInterruptBuffer(buffer: object): void;
}

type OpenScript = (greeting: string, ask: (question: string) => string) => [RunScript | undefined, string];
type RunScript = (request: string) => string;

const WASM_PAGE_BYTES = 65536;

/**
 * The program of a process of Node that runs Python in Pyodide, see `ScriptProcess`. Its source is handed to Node, so it
 * must use nothing from outside itself.
 */
async function servePython(
  loadPyodide: (options: object) => Promise<Pyodide>,
  fs: typeof import('node:fs'),
  python: string,
): Promise<void> {
  let rest = '';
  const buffer = Buffer.alloc(65536);
  const decoder = new TextDecoder();
  /** Without the event loop, in which Python could leave something to be done later. */
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
    const pyodide = await loadPyodide({ jsglobals: {}, stdin: () => null, stdout: print, stderr: print });
    const openScript = pyodide.runPython(python) as OpenScript;
    for (const name of ['js', 'pyodide_js']) pyodide.unregisterJsModule(name);
    const [run, answer] = openScript(greeting, ask);
    write(1, answer);
    if (run === undefined) return process.exit();

    const processorMillis = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    let deadline = Number.POSITIVE_INFINITY;
    if (millis !== undefined) {
      // Python looks here now and then whether it has been interrupted, and takes that back. Interrupted, it gets some
      // time to say so.
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

/** Where the optional package is. Throws `HR_STAGE_START` when it is not installed. */
export function findPyodide(resolve: (id: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return realpathSync(dirname(resolve('pyodide/package.json')));
  } catch {
    throw new HeadraceError('HR_STAGE_START', 'EmbeddedPython needs the package pyodide, which is not installed', {
      hint: 'Install it beside Headrace: npm install pyodide. Or use ExternalPython, which runs the Python of the machine.',
    });
  }
}

/**
 * How to start Python in a process of Node that may read the files of Pyodide and nothing else: no other files, no
 * network, no processes, no environment; and code of JavaScript, should Python get hold of some, makes no code from texts.
 *
 * @param maxBytes of Python's memory, all of Pyodide's own included
 */
export function pyodideCommand(folder: string, maxBytes: number): { command: string; args: string[] } {
  const program = `import(${JSON.stringify(pathToFileURL(join(folder, 'pyodide.mjs')).href)}).then(({ loadPyodide }) => {
    const fs = process.getBuiltinModule('node:fs');
    // Pyodide asks for numbers of the system here, which is not allowed any more.
    process.binding = () => ({ fs: fs.constants });
    // What the permissions do not cover.
    process.kill = process._kill = undefined;
    return (${servePython.toString()})(loadPyodide, fs, ${JSON.stringify(EMBEDDED_PYTHON)});
  });`;
  const permissions = ['--permission', `--allow-fs-read=${folder}`, '--disallow-code-generation-from-strings'];
  const memory = `--wasm-max-mem-pages=${maxBytes / WASM_PAGE_BYTES}`;
  return { command: process.execPath, args: [...permissions, memory, '--no-warnings', '-e', program] };
}
