// The repository, and the Node that it works with. These scripts run on Node 20 too, until `npm ci` has brought 26.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const binaries = join(root, 'node_modules', '.bin');

/** The environment in which `node` and the installed tools are found first. */
export const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` };

/** Runs a command in the repository, its output shown. Gives the exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal === null ? code : 1));
  });
}

/** As `run`, but this process fails with the command. */
export async function mustRun(command, args, options) {
  const code = await run(command, args, options);
  if (code !== 0) {
    console.error(`${[command, ...args].join(' ')} failed with exit code ${code}.`);
    process.exit(1);
  }
}
