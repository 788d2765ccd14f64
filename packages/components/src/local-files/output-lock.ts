import type { Server } from 'node:net';
import { locks } from 'node:worker_threads';

const NAME = 'headrace-output-';

/** The identity of a file, independent of its path. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Releases a file for other runs. */
export type ReleaseOutput = () => Promise<void>;

/**
 * Locks a file for a run that writes it. Returns undefined if another run on this machine has locked it. The lock is on
 * the file, by device and inode, and not on its path: links lead to the same file.
 *
 * Runs are threads of a process, and Node's locks cover all of them. For other processes on Linux, the lock is a socket
 * with an abstract name, without a listener. Only one process at a time can use the name. The system frees it when the
 * thread or the process ends, also after SIGKILL, so no stale lock file can remain. Other containers cannot see the
 * name, and other systems have no such names: there the lock covers only this process.
 */
export async function takeOutput(file: FileIdentity): Promise<ReleaseOutput | undefined> {
  const name = nameOf(file);
  const releaseThreads = await takeFromThreads(name);
  if (releaseThreads === undefined) return undefined;
  const releaseProcesses = process.platform === 'linux' ? await takeFromProcesses(name) : async () => undefined;
  if (releaseProcesses === undefined) {
    await releaseThreads();
    return undefined;
  }
  return async () => {
    await releaseProcesses();
    await releaseThreads();
  };
}

/**
 * Returns a function that reports whether a run of this process (including the current run) was writing a file at the
 * time of the call.
 */
export async function outputsNow(): Promise<(file: FileIdentity) => boolean> {
  const { held = [] } = await locks.query();
  const names = new Set(held.flatMap(({ name }) => (name?.startsWith(NAME) === true ? [name] : [])));
  return names.size === 0 ? () => false : (file) => names.has(nameOf(file));
}

function nameOf({ dev, ino }: FileIdentity): string {
  return `${NAME}${dev}-${ino}`;
}

function takeFromThreads(name: string): Promise<ReleaseOutput | undefined> {
  return new Promise((taken, failed) => {
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return taken(undefined);
      // The lock is held until this promise resolves.
      const done = Promise.withResolvers<void>();
      taken(async () => {
        done.resolve();
        await held;
      });
      return done.promise;
    });
    held.catch(failed);
  });
}

async function takeFromProcesses(name: string): Promise<ReleaseOutput | undefined> {
  const server = process.getBuiltinModule('node:net').createServer((connection) => connection.destroy());
  try {
    await listening(server, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    // The system has no such names, or a sandbox forbids them: the lock covers only the threads of this process.
    return async () => undefined;
  }
  server.unref();
  return () => new Promise((closed) => server.close(() => closed()));
}

function listening(server: Server, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: `\0${name}`, exclusive: true }, resolve);
  });
}
