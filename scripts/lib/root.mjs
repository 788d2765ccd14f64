// The repository and its Node. These scripts also run on Node 20, until `npm ci` has installed Node 26.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const binaries = join(root, 'node_modules', '.bin');

/** The environment with Node 26 and the installed tools first in the path. */
export const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` };

/** Runs a command in the repository and shows its output. Returns the exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal === null ? code : 1));
  });
}

/** Runs a command like `run`, but returns its output with the exit code. */
export async function collect(command, args) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [exitCode] = await once(child, 'close');
  return { output, exitCode };
}

/** Runs a command like `run`, and exits if the command fails. */
export async function mustRun(command, args, options) {
  const code = await run(command, args, options);
  if (code !== 0) {
    console.error(`${[command, ...args].join(' ')} failed with exit code ${code}.`);
    process.exit(1);
  }
}
