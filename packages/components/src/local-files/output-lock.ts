import type { Server } from 'node:net';
import { locks } from 'node:worker_threads';

const NAME = 'headrace-output-';

/** What a file is, whatever leads to it. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Gives a file free for other runs. */
export type ReleaseOutput = () => Promise<void>;

/**
 * Takes a file for a run that writes it; undefined when another run on this machine has it. It is the file that is
 * taken, by device and inode, and not its path: links lead to the same one.
 *
 * Runs are threads of a process, and the locks of Node hold for all of them. For other processes there is, on Linux, a
 * socket with an abstract name, which listens to nobody: the system lets one process at a time have the name, and takes
 * it back when the thread or the process ends, by SIGKILL too. So nothing is left behind that would have to be told
 * from a run that goes on, as with a file beside the output. Processes of other containers do not see the name, and
 * other systems have no such names: there the lock holds within the process.
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

/** Whether a run of this process, ours too, is writing a file: as it is at the moment of the call. */
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
    // A system that has no such names, or a sandbox that keeps them from us: threads are told apart all the same.
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
