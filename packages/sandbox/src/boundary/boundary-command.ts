import { existsSync, realpathSync } from 'node:fs';
import { LAUNCH_CALLS, type LaunchPlan, launcherArgs, type Mount } from './launcher.ts';
import type { UsableBoundary } from './script-boundary.ts';
import { syscallFilter } from './syscall-filter.ts';

/** The process to run inside a boundary. */
export interface LockedIn {
  /** Files and folders that are readable inside, in addition to Node. Nothing is writable. */
  readonly mounts: readonly Mount[];
  /** The memory that the process may write to: its heap, buffers, WebAssembly and thread stacks. */
  readonly maxBytes: number;
  /** The path of the program inside the boundary, and its arguments. */
  readonly command: string;
  readonly args: readonly string[];
}

/** The path of Node inside the boundary. */
export const NODE_INSIDE = '/node';

/** The numbers of resource limits, see getrlimit(2). */
const [RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_MSGQUEUE] = [1, 2, 4, 6, 7, 12];
const MAX_OPEN_FILES = 128;
/** The maximum number of threads. Node has a dozen threads; Python has the threads that the script starts. */
const MAX_THREADS = 64;

/**
 * Returns the command that starts a process in a boundary. The process has separate namespaces: user, mount, PID,
 * network, IPC, UTS, and cgroup if available. It can read only the given files and use few system calls. It has no
 * environment, no capabilities, and no open files except its standard ones. It ends with the thread that started it.
 */
export function boundaryCommand(boundary: UsableBoundary, lockedIn: LockedIn): { command: string; args: string[] } {
  const { maxBytes, command, args } = lockedIn;
  const filter = syscallFilter(process.arch);
  const calls = LAUNCH_CALLS[process.arch];
  if (filter === undefined || calls === undefined) throw new Error(`There is no filter for ${process.arch}`);
  const mounts = [...nodeMounts(), ...lockedIn.mounts];
  const plan: LaunchPlan = {
    limits: [
      [RLIMIT_DATA, maxBytes],
      [RLIMIT_NPROC, MAX_THREADS],
      [RLIMIT_NOFILE, MAX_OPEN_FILES],
      [RLIMIT_FSIZE, 0],
      [RLIMIT_CORE, 0],
      [RLIMIT_MSGQUEUE, 0],
    ],
    filter: Buffer.from(filter).toString('base64'),
    command,
    args,
    calls,
  };
  if (boundary.kind === 'bubblewrap') {
    const bound = mounts.flatMap(({ source, target, kind }) => [
      kind === 'device' ? '--dev-bind' : '--ro-bind',
      source,
      target,
    ]);
    return {
      command: boundary.path,
      args: [...BUBBLEWRAP, ...bound, '--remount-ro', '/', '--', NODE_INSIDE, ...launcherArgs(plan)],
    };
  }
  return {
    command: boundary.setpriv,
    args: ['--pdeathsig', 'SIGKILL', boundary.path, ...UNSHARE, process.execPath, ...launcherArgs({ ...plan, mounts })],
  };
}

const BUBBLEWRAP = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--as-pid-1', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
  ...['--chdir', '/'],
] as const;

const UNSHARE = [
  ...['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount', '--net', '--ipc', '--uts'],
  '--',
] as const;

let forNode: readonly Mount[] | undefined;

/** Returns Node, the libraries that it has loaded, and the only device that programs expect. */
function nodeMounts(): readonly Mount[] {
  forNode ??= [
    { source: realpathSync(process.execPath), target: NODE_INSIDE, kind: 'file' },
    { source: '/dev/null', target: '/dev/null', kind: 'device' },
    ...loadedLibraries().map((path): Mount => ({ source: realpathSync(path), target: path, kind: 'file' })),
  ];
  return forNode;
}

function loadedLibraries(): string[] {
  // Without this setting, a report looks up the names of this machine's addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
  // A library without a path belongs to the kernel. Add-ons are not part of Node.
  return [...new Set(sharedObjects)].filter(
    (path) => path.startsWith('/') && !path.endsWith('.node') && existsSync(path),
  );
}
