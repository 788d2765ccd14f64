import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ChildProgram, HeadraceError, messageOf } from '@headrace/engine';

/** The folders of the working directory in which Lucille searches for scripts. */
export const SCRIPT_FOLDERS = [
  'python',
  'src/main/resources',
  'src/test/resources',
  'src/test/resources/ExternalPythonTest',
] as const;

const VENV = 'python/venv';
const MILLIS_TO_INSTALL = 10 * 60_000;
/** The number of output lines that the error of a failed installation quotes. */
const QUOTED_LINES = 5;

/**
 * Creates the virtual environment if it is missing, and installs the requirements. A lock allows one process at a time.
 * The launcher kills only the program that it has started, so the work is in a second process. When its standard input
 * ends, because the first process or the service was killed, it kills itself and the programs that it has started.
 */
const INSTALL = `
import fcntl, os, signal, subprocess, sys, threading, venv
folder, requirements = sys.argv[1:]
worker = os.fork()
if worker != 0:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) & 255)
os.setpgid(0, 0)
def end_with_input():
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end_with_input, daemon=True).start()
os.makedirs(os.path.dirname(folder), exist_ok=True)
with open(folder + '.lock', 'w') as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not os.path.exists(folder + '/bin/python'):
        venv.create(folder, with_pip=True)
    pip = [folder + '/bin/python', '-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check']
    sys.exit(subprocess.call(pip + ['--requirement', requirements], stdin=subprocess.DEVNULL))
`;

/**
 * Finds a file that a config names: at this path, or in one of the script folders.
 *
 * @param insideOnly whether the file must be directly in one of these folders, as for uploaded configs
 * @returns the absolute path of the file
 * @throws HeadraceError `HR_STAGE_START` if the file does not exist
 */
export async function findScriptFile(path: string, insideOnly: boolean): Promise<string> {
  for (const candidate of [resolve(path), ...SCRIPT_FOLDERS.map((folder) => resolve(folder, path))]) {
    if ((await isFile(candidate)) && (!insideOnly || (await isInside(candidate)))) return candidate;
  }
  const folders = SCRIPT_FOLDERS.map((folder) => `./${folder}`).join(', ');
  throw new HeadraceError('HR_STAGE_START', `There is no file ${path}${insideOnly ? ` in ${folders}` : ''}`, {
    hint: insideOnly
      ? 'An uploaded config can name only files that are directly in one of these folders of the server.'
      : `Write its path, or its name in the working directory or in ${folders}.`,
  });
}

/**
 * Returns the Python that runs scripts: the one of the virtual environment ./python/venv if it exists, otherwise the
 * given executable. Installing requirements creates this environment.
 *
 * @param requirements the absolute path of a requirements file to install first
 * @throws HeadraceError `HR_STAGE_START` if the installation fails
 */
export async function pythonCommand(executable: string, requirements: string | undefined): Promise<string> {
  const venv = resolve(VENV);
  if (requirements !== undefined) await install(executable, venv, requirements);
  const python = `${venv}/bin/python`;
  return (await isFile(python)) ? python : executable;
}

async function install(executable: string, venv: string, requirements: string): Promise<void> {
  const program = ChildProgram.start(executable, ['-c', INSTALL, venv, requirements], { input: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    program.kill();
  }, MILLIS_TO_INSTALL);
  const failed = (reason: string) =>
    new HeadraceError('HR_STAGE_START', `${requirements} cannot be installed into ${venv}: ${reason}`);
  try {
    const [stdout, stderr, { code, signal }] = await Promise.all([
      text(program.stdout),
      text(program.stderr),
      program.ended,
    ]);
    if (code === 0) return;
    if (late) throw failed(`it took more than ${MILLIS_TO_INSTALL / 60_000} minutes`);
    const lines = `${stdout}${stderr}`.trim().split('\n').slice(-QUOTED_LINES).join('\n');
    throw failed(lines || `${executable} ended with ${signal ?? `code ${code}`}`);
  } catch (error) {
    throw error instanceof HeadraceError ? error : failed(messageOf(error));
  } finally {
    clearTimeout(timer);
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function isInside(path: string): Promise<boolean> {
  const folder = dirname(await realpath(path));
  for (const allowed of SCRIPT_FOLDERS) {
    if (folder === (await realpath(allowed).catch(() => undefined))) return true;
  }
  return false;
}
