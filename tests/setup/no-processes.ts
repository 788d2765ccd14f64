import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

/** Makes unit tests fail that start a process: processes are slow and need a build. Only `git` is allowed. */
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  const original = childProcess[name] as (...args: unknown[]) => unknown;
  Object.assign(childProcess, {
    [name](command: unknown, ...rest: unknown[]) {
      if (command === 'git') return original(command, ...rest);
      throw new Error(`A unit test starts ${String(command)}. Name its file *.process.test.ts.`);
    },
  });
}
syncBuiltinESMExports();
