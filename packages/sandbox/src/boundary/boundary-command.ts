import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  HIDDEN_NODE_OPTIONS,
  LAUNCH_CALLS,
  type LaunchPlan,
  launcherArgs,
  type Mount,
  TEMPORARY_BYTES,
} from './launcher.ts';
import type { UsableBoundary } from './script-boundary.ts';
import { syscallFilter } from './syscall-filter.ts';

/** What a process may have beside its processor. */
export interface ProcessLimits {
  /** The memory that the process may write to: its heap, buffers, WebAssembly and thread stacks. At least 64 MiB. */
  readonly maxBytes?: number;
  /** The processor time of all threads together. The kernel ends a process that uses more. */
  readonly maxProcessorSecs?: number;
}

/** The process to run inside a boundary. */
export interface LockedIn extends ProcessLimits {
  /** Files and folders that exist inside, in addition to Node. Only those with `writable` are writable. */
  readonly mounts: readonly Mount[];
  readonly maxBytes: number;
  /** The path of the program inside the boundary, and its arguments. `process.execPath` is Node. */
  readonly command: string;
  readonly args: readonly string[];
  /** The environment inside. Empty if absent. The users of the machine can read it. */
  readonly env?: Readonly<Record<string, string>>;
  /** The number of open files that the process keeps, from descriptor 3. Defaults to none. */
  readonly files?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A process to run without a boundary. */
export interface Limited extends ProcessLimits {
  /** The absolute path of the program, its arguments and its environment. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** As in `LockedIn`. */
  readonly files?: number;
  /** True if the program starts in a directory that is empty and stays empty, false if in the current one. */
  readonly inEmptyDirectory: boolean;
}

/** A program to start, with its arguments. */
export interface Command {
  readonly command: string;
  readonly args: string[];
}

/** The path of Node inside the boundary. */
export const NODE_INSIDE = '/node';
/** The directory that a process in a boundary starts in. It is empty. */
const EMPTY_INSIDE = '/empty';

/** The numbers of resource limits, see getrlimit(2). */
const RLIMIT = { CPU: 0, FSIZE: 1, DATA: 2, CORE: 4, NPROC: 6, NOFILE: 7, MSGQUEUE: 12 } as const;
/** The memory that the launcher itself uses until it becomes the program. A lower limit would end it. */
const LEAST_BYTES = 64 * 1024 * 1024;
const MAX_OPEN_FILES = 128;
/** For a program that writes: a database has many files. */
const MAX_OPEN_FILES_OF_WRITERS = 4096;
/** The maximum number of threads. Node has a dozen threads; Python has the threads that the script starts. */
const MAX_THREADS = 64;

/**
 * Returns the command that starts a process in a boundary. The process has separate namespaces: user, mount, PID,
 * network, IPC, UTS, and cgroup if available. It sees only the given files and uses few system calls. It starts in an
 * empty directory without an environment, has no capabilities, and no open files except its standard ones and the given
 * ones. It ends with the thread that started it.
 */
export function boundaryCommand(boundary: UsableBoundary, lockedIn: LockedIn): Command {
  const { env = {}, files = 0 } = lockedIn;
  const isWriter = lockedIn.mounts.some(({ kind, writable }) => writable || kind === 'temporary');
  const filter = syscallFilter(process.arch, { writes: isWriter });
  const calls = LAUNCH_CALLS[process.arch];
  if (filter === undefined || calls === undefined) throw new Error(`There is no filter for ${process.arch}`);
  // A temporary directory is first, because it hides what was mounted inside of it.
  const isTemporary = ({ kind }: Mount) => kind === 'temporary';
  const [temporary, others] = [lockedIn.mounts.filter(isTemporary), lockedIn.mounts.filter((one) => !isTemporary(one))];
  const mounts = [...temporary, ...nodeMounts(), ...others];
  const plan: LaunchPlan = {
    limits: [
      ...limitsOf(lockedIn),
      [RLIMIT.NPROC, MAX_THREADS],
      [RLIMIT.NOFILE, isWriter ? MAX_OPEN_FILES_OF_WRITERS : MAX_OPEN_FILES],
      ...(isWriter ? [] : [[RLIMIT.FSIZE, 0] as const]),
      [RLIMIT.MSGQUEUE, 0],
    ],
    filter: Buffer.from(filter).toString('base64'),
    directory: { path: EMPTY_INSIDE },
    command: lockedIn.command === process.execPath ? NODE_INSIDE : lockedIn.command,
    args: lockedIn.args,
    env,
    files,
    calls,
  };
  if (boundary.kind === 'bubblewrap') {
    const bound = mounts.flatMap(bubblewrapOptions);
    const rest = ['--dir', EMPTY_INSIDE, '--remount-ro', '/', '--', NODE_INSIDE, ...launcherArgs(plan)];
    return { command: boundary.path, args: [...BUBBLEWRAP, ...bound, ...rest] };
  }
  return {
    command: boundary.setpriv,
    args: ['--pdeathsig', 'SIGKILL', boundary.path, ...UNSHARE, process.execPath, ...launcherArgs({ ...plan, mounts })],
  };
}

/**
 * Returns the command that starts a process without a boundary: with its limits, and so that it ends with the thread that
 * starts it, even if that is killed. This takes as long as a start of Node. Returns the program itself on systems that
 * cannot do this.
 * @returns the command, and the environment to start it with
 */
export function limitedCommand(program: Limited): Command & { readonly env: Environment } {
  const { command, args, env, files = 0, inEmptyDirectory, ...limits } = program;
  const calls = process.platform === 'linux' ? LAUNCH_CALLS[process.arch] : undefined;
  if (calls === undefined) return { command, args: [...args], env };
  const plan: LaunchPlan = {
    limits: limitsOf(limits),
    directory: inEmptyDirectory ? { temporary: tmpdir() } : undefined,
    command,
    args,
    files,
    parent: process.pid,
    calls,
  };
  // The options of Node are for the program.
  const { NODE_OPTIONS, ...others } = env;
  const hidden = NODE_OPTIONS === undefined ? {} : { [HIDDEN_NODE_OPTIONS]: NODE_OPTIONS };
  return { command: process.execPath, args: launcherArgs(plan), env: { ...others, ...hidden } };
}

function limitsOf({ maxBytes, maxProcessorSecs }: ProcessLimits): LaunchPlan['limits'] {
  return [
    ...(maxBytes === undefined ? [] : [[RLIMIT.DATA, Math.max(maxBytes, LEAST_BYTES)] as const]),
    ...(maxProcessorSecs === undefined ? [] : [[RLIMIT.CPU, Math.max(1, Math.ceil(maxProcessorSecs))] as const]),
    [RLIMIT.CORE, 0],
  ];
}

function bubblewrapOptions({ source, target, kind, writable }: Mount): string[] {
  if (kind === 'temporary') return ['--size', String(TEMPORARY_BYTES), '--tmpfs', target];
  if (kind === 'link') return ['--symlink', source, target];
  if (kind === 'device') return ['--dev-bind', source, target];
  return [writable ? '--bind' : '--ro-bind', source, target];
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
