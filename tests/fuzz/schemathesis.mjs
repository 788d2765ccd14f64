// `npm run fuzz:api -- [MINUTES]`: Schemathesis against the API, with all of its checks, first without users and then
// as a user; MINUTES (10) each. Run before each release: CI does not run it. Exits with 1 when a check fails.
// It needs Python 3.10 or newer, and installs Schemathesis into .cache/ itself.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { prepare } from '../../scripts/lib/prepare.mjs';
import { env, mustRun, root, run } from '../../scripts/lib/root.mjs';

/** Pinned, because other versions send other requests, and failures must be equal on every machine. */
const SCHEMATHESIS = 'schemathesis==4.32.5';
const USER = 'fuzz';
const PASSWORD = 'only for this test';

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) {
  console.error('Usage: npm run fuzz:api -- [MINUTES]');
  process.exit(2);
}

await prepare();
const schemathesis = await install();
let failed = false;
for (const withUser of [false, true]) {
  console.log(`\nSchemathesis ${withUser ? 'as a user' : 'without users'}, ${minutes} minutes`);
  if ((await fuzz(withUser)) !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;

/** Installs Schemathesis if needed. Returns the path of the program. */
async function install() {
  const venv = join(root, '.cache', SCHEMATHESIS.replace('==', '-'));
  const program = join(venv, 'bin', 'schemathesis');
  if (!existsSync(program)) {
    await mustRun('python3', ['-m', 'venv', '--clear', venv]);
    await mustRun(join(venv, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', SCHEMATHESIS]);
  }
  return program;
}

/** Returns the exit code of Schemathesis, or 1 if the service stopped during the run. */
async function fuzz(withUser) {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-fuzz-'));
  const service = await serve(directory, withUser);
  try {
    const user = withUser ? ['--auth', `${USER}:${PASSWORD}`] : [];
    const config = ['--config-file', join(root, 'tests/fuzz/schemathesis.toml')];
    const args = [
      ...config,
      'run',
      `${service.url}/openapi.json`,
      '--max-time',
      String(Math.ceil(minutes * 60)),
      ...user,
    ];
    const code = await run(schemathesis, [...args, '--continue-on-failure'], {
      cwd: directory,
      env: { ...env, SCHEMATHESIS_HOOKS: join(root, 'tests/fuzz/hooks.py') },
    });
    if (service.process.exitCode !== null) console.error('The service ended during the run.');
    return service.process.exitCode === null ? code : 1;
  } finally {
    const ended = new Promise((resolve) => service.process.once('exit', resolve));
    if (service.process.exitCode === null && service.process.kill('SIGTERM')) await ended;
    await rm(directory, { recursive: true, force: true });
  }
}

/** Starts a service on a free port. It treats uploads as untrusted: `policy: strict`. */
async function serve(directory, withUser) {
  const settings = {
    server: { host: '127.0.0.1', port: 0, trustedProxies: ['127.0.0.1'] },
    storage: { type: 'memory' },
    policy: 'strict',
    limits: { maxConfigs: 1_000_000 },
    log: { format: 'json' },
    ...(withUser ? { auth: { type: 'basicAuth', users: [{ name: USER, password: PASSWORD, role: 'admin' }] } } : {}),
  };
  const file = join(directory, 'service.yml');
  await writeFile(file, JSON.stringify(settings));
  const child = spawn('node', [join(root, 'packages/headrace/bin/headrace.js'), 'serve', file], {
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The service did not start: exit code ${code}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const listening = /Listening on (http:\/\/[\d.]+:\d+)/.exec(line);
      if (listening !== null) resolve(listening[1]);
      // Errors of a run are about its config. Any other error is a bug of the service.
      if (line.includes('"level":"error"') && !line.includes('"runId"')) console.error(line);
    });
  });
  return { url, process: child };
}
