import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The launchers of real servers. */
const LAUNCHERS = fileURLToPath(new URL('../tests/servers/', import.meta.url));

/** Below the ports that the operating system uses for outgoing connections. */
const FIRST_PORT = 20_000;
const PORTS = 8_000;

/**
 * Measures with a real server. It is the server at `<NAME>_URL` in the environment, or one that its launcher starts. If
 * the start fails, only the rows of this server are missing.
 *
 * @param directory the data folder of a started server
 * @param work is called with the address and, for a started server, the id of its process, and a function that starts a
 * killed server again and returns both
 */
export async function withServer(name, directory, work) {
  const variable = name.toUpperCase();
  const given = process.env[`${variable}_URL`];
  if (given !== undefined) return work({ url: given.replace(/\/$/, '') });
  const launcher = `${LAUNCHERS}${name}`;
  const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
  const environment = {
    HEADRACE_SERVERS_WAIT: '300',
    ...process.env,
    [`${variable}_PORT`]: String(port),
    [`${variable}_DATA`]: `${directory}/${name}`,
  };
  // The server has no parent process. This shell removes the server when its standard input ends, for any reason.
  const guard = spawn('sh', ['-c', 'cat; exec "$0" wipe', launcher], {
    detached: true,
    env: environment,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  try {
    const start = async () => {
      const { stdout } = await promisify(execFile)(launcher, ['start'], { env: environment });
      const [, url] = /^url: (.*)$/m.exec(stdout);
      const [, pid] = /^pid: (.*)$/m.exec(stdout);
      return { url, pid };
    };
    return await work({ ...(await start()), start });
  } catch (error) {
    return [{ job: `all with ${name}`, error: error.stack }];
  } finally {
    const ended = once(guard, 'exit');
    guard.stdin.end();
    await ended;
  }
}
