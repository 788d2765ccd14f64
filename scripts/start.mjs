// `npm start`: the service on port 8080 of 127.0.0.1, with the examples as presets.
import { spawn } from 'node:child_process';
import { prepare } from './lib/prepare.mjs';
import { env, root } from './lib/root.mjs';

const PARENT_CHECK_MILLIS = 500;

const parent = process.ppid;
await prepare();
// The channel closes when this process ends, even if it was killed. The service detects this and shuts down.
const service = spawn('node', ['packages/headrace/bin/headrace.js', 'serve', 'examples/service.yml'], {
  cwd: root,
  env: { ...env, HEADRACE_LAUNCHED: '1' },
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => service.kill(signal));
// npm runs this script in a shell and sends SIGTERM to the shell, which ends without forwarding it.
const inShell = process.env.npm_lifecycle_event !== undefined;
const watch = setInterval(() => {
  if (!inShell || process.ppid === parent) return;
  clearInterval(watch);
  service.kill('SIGTERM');
}, PARENT_CHECK_MILLIS);
service.on('exit', (code) => {
  clearInterval(watch);
  process.exitCode = code ?? 1;
});
