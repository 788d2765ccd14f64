import { execFile } from 'node:child_process';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import type { Mount } from '../boundary/index.ts';
import { messageOf } from '../problems/message-of.ts';
import type { MakeError } from '../problems/script-problem.ts';
import type { PythonCommand } from './python-command.ts';

/** The memory that the process may write to. */
const MAX_BYTES = 1024 * 1024 * 1024;
const MILLIS_TO_ASK = 60_000;
const MAX_LINKS = 16;

/** The folders of system libraries and of the system's Python modules. */
const SYSTEM_LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib'] as const;
/** Installation prefixes that contain far more than Python. */
const SHARED_PREFIXES: ReadonlySet<string> = new Set(['/', '/usr', '/usr/local']);

/** Runs in isolated mode, so that neither the environment of the service nor a home folder adds module folders. */
const ASK = 'import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, *sys.path]))';

/** The caller's policy checks for the files that Python uses. */
export interface PythonChecks {
  readonly makeError: MakeError;
  /** Throws if a script could write to this path. Python reads its folder outside the boundary. */
  requireReadOnly(path: string): void;
  /** Throws if this folder contains files that a script must not see. */
  requireNothingHidden(directory: string): void;
}

/**
 * Returns the command that runs an installed Python in a boundary of the operating system. It may read its own installation, the system
 * libraries and the folder of the script.
 * @param python the path of the executable
 * @throws an error of `checks` if Python cannot report where it is installed, or reads forbidden files
 */
export async function boundedPython(
  python: string,
  scriptFolder: string,
  args: readonly string[],
  checks: PythonChecks,
): Promise<PythonCommand> {
  // Python reports its location outside the boundary. To do this, it runs files of its installation.
  if (isAbsolute(python)) checks.requireReadOnly(join(dirname(dirname(python)), 'lib', 'python.pth'));
  const [executable, ...places] = await installation(python, checks.makeError);
  const folders = new Set<string>(SYSTEM_LIBRARIES);
  for (const place of places) if (!SHARED_PREFIXES.has(place)) folders.add(place);
  const mounts: Mount[] = [];
  for (const folder of [...folders].toSorted()) {
    // A folder inside another one is already included. A zip file on the path of Python may be missing.
    if (!folder.startsWith('/') || mounts.some(({ target }) => isInside(folder, target)) || !(await exists(folder)))
      continue;
    const kind = (await stat(folder)).isDirectory() ? 'directory' : 'file';
    mounts.push({ source: await realpath(folder), target: folder, kind });
  }
  mounts.push({ source: scriptFolder, target: scriptFolder, kind: 'directory' });
  for (const { source } of mounts) checks.requireNothingHidden(source);
  for (const file of await links(executable)) {
    if (mounts.some(({ target }) => isInside(file, target))) continue;
    mounts.push({ source: await realpath(file), target: file, kind: 'file' });
  }
  return { command: executable, args, confined: { mounts, maxBytes: MAX_BYTES } };
}

async function installation(python: string, makeError: MakeError): Promise<[executable: string, ...places: string[]]> {
  try {
    const { stdout } = await promisify(execFile)(python, ['-I', '-c', ASK], {
      cwd: '/',
      timeout: MILLIS_TO_ASK,
      env: { PATH: process.env.PATH ?? '' },
    });
    const [executable, ...places] = JSON.parse(stdout) as string[];
    if (executable !== undefined && executable !== '') return [executable, ...places];
  } catch (error) {
    throw makeError({ when: 'start', message: `${python} cannot be run: ${messageOf(error)}` });
  }
  throw makeError({ when: 'start', message: `${python} cannot report where it is installed` });
}

/** Returns a file, and the files that its symbolic links point to. */
async function links(file: string): Promise<string[]> {
  const found = [file];
  for (let at = file; found.length < MAX_LINKS && (await lstat(at)).isSymbolicLink(); ) {
    at = resolve(dirname(at), await readlink(at));
    found.push(at);
  }
  return found;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
