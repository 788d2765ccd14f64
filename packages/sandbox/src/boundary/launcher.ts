/** A file or folder of the machine, and its path inside the boundary. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  /**
   * `link`: a symbolic link to `source`, which is a path inside. `temporary`: an empty directory in memory, of at most 64
   * MiB. It is always writable, and `source` has no meaning.
   */
  readonly kind: 'file' | 'directory' | 'device' | 'link' | 'temporary';
  /** True if the program may write to the file or directory. */
  readonly writable?: true;
}

/** The task of the launcher, as JSON. */
export interface LaunchPlan {
  /** The content of the file system. Absent if there is no boundary, or if bubblewrap has already created it. */
  readonly mounts?: readonly Mount[];
  /** The directory of the program. `temporary`: a directory below this one that is deleted, so it is always empty. */
  readonly directory: { readonly path: string } | { readonly temporary: string } | undefined;
  /** Pairs of a `RLIMIT_…` number and its limit. */
  readonly limits: readonly (readonly [resource: number, limit: number])[];
  /** The system call filter in base64. Absent if there is no boundary. */
  readonly filter?: string;
  /** The absolute path and the arguments of the program to run. */
  readonly command: string;
  readonly args: readonly string[];
  /** The environment of the program. Absent if it keeps that of the launcher. */
  readonly env?: Readonly<Record<string, string>>;
  /** The number of open files that the program keeps, from descriptor 3. */
  readonly files: number;
  /** The process that started the launcher, which must still live. Absent if a boundary hides it. */
  readonly parent?: number;
  /** Numbers of system calls, which differ between architectures. */
  readonly calls: LaunchCalls;
}

interface LaunchCalls {
  readonly mount: number;
  readonly umount2: number;
  readonly pivot_root: number;
  readonly chdir: number;
  readonly prctl: number;
  readonly prlimit64: number;
  readonly seccomp: number;
  readonly fcntl: number;
}

/** The part of `node:ffi` that the launcher uses. Its types are not published yet. */
interface Ffi {
  readonly DynamicLibrary: new (
    path: null,
  ) => { getFunction(name: string, signature: object): (...args: bigint[]) => bigint };
  getRawPointer(bytes: Buffer): bigint;
  getInt32(pointer: bigint, offset: number): number;
}

/**
 * The folder where the launcher creates the new root of the file system. Every Linux has it, and the program needs
 * nothing in it.
 */
const NEW_ROOT = '/proc';

/** The maximum size of a mount of the kind `temporary`. */
export const TEMPORARY_BYTES = 64 * 1024 * 1024;

/** The environment variable with the options of Node that are for the program, and not for the launcher. */
export const HIDDEN_NODE_OPTIONS = 'HEADRACE_PROGRAM_NODE_OPTIONS';

export const LAUNCH_CALLS: Readonly<Record<string, LaunchCalls>> = {
  x64: { mount: 165, umount2: 166, pivot_root: 155, chdir: 80, prctl: 157, prlimit64: 302, seccomp: 317, fcntl: 72 },
  arm64: { mount: 40, umount2: 39, pivot_root: 41, chdir: 49, prctl: 167, prlimit64: 261, seccomp: 277, fcntl: 25 },
};

/**
 * Locks the process in. In a boundary, it is the first process in the new namespaces: it creates the file system, drops
 * capabilities and privileges, and sets the system call filter. With and without a boundary it sets the limits, and the
 * signal that ends it with its parent. Then it becomes the program to run. Its source is passed to Node as text, so it
 * must not use anything outside itself. Any error ends it, so that no program runs with an incomplete boundary.
 */
function launch(
  plan: LaunchPlan,
  root: string,
  hiddenOptions: string,
  temporaryBytes: number,
  ffi: Ffi,
  fs: typeof import('node:fs'),
  path: typeof import('node:path'),
  process: NodeJS.Process,
): void {
  const { calls, directory } = plan;
  const library = new ffi.DynamicLibrary(null);
  const long = 'int64' as const;
  const syscall = library.getFunction('syscall', {
    arguments: [long, long, long, long, long, long, long],
    return: long,
  });
  const errnoPlace = library.getFunction('__errno_location', { arguments: [], return: 'pointer' });
  /** Keeps texts and bytes for the kernel in memory. */
  const kept: Buffer[] = [];
  const raw = (argument: number | string | Buffer): bigint => {
    if (typeof argument === 'number') return BigInt(argument);
    const bytes = typeof argument === 'string' ? Buffer.from(`${argument}\0`) : argument;
    kept.push(bytes);
    return ffi.getRawPointer(bytes);
  };
  const attempt = (number: number, ...args: (number | string | Buffer)[]): number => {
    const padded = [number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(raw);
    if (syscall(...padded) >= 0n) return 0;
    return ffi.getInt32(errnoPlace(), 0);
  };
  const must = (what: string, number: number, ...args: (number | string | Buffer)[]) => {
    const errno = attempt(number, ...args);
    if (errno !== 0) throw new Error(`${what} failed with error ${errno} of the system`);
  };
  const u64 = (...values: (number | bigint)[]) => {
    const bytes = Buffer.alloc(values.length * 8);
    for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), index * 8);
    return bytes;
  };

  if (plan.mounts !== undefined) {
    const [MS_NOSUID, MS_NODEV, MS_BIND, MS_REC] = [2, 4, 4096, 16384] as const;
    must('Mounting the new root', calls.mount, 'none', root, 'tmpfs', MS_NOSUID | MS_NODEV, 'size=1m,mode=755');
    for (const { source, target, kind } of plan.mounts) {
      const inside = path.join(root, target);
      const isDirectory = kind === 'directory' || kind === 'temporary';
      fs.mkdirSync(isDirectory ? inside : path.dirname(inside), { recursive: true });
      if (kind === 'link') {
        fs.symlinkSync(source, inside);
        continue;
      }
      if (kind === 'temporary') {
        must(
          `Mounting ${target}`,
          calls.mount,
          'none',
          inside,
          'tmpfs',
          MS_NOSUID | MS_NODEV,
          `size=${temporaryBytes}`,
        );
        continue;
      }
      // Never changes a file of the machine, which an earlier mount may show here.
      if (!isDirectory && !fs.existsSync(inside)) fs.writeFileSync(inside, '', { flag: 'wx' });
      must(`Mounting ${source}`, calls.mount, source, inside, 0, MS_BIND | MS_REC);
    }
    if (directory !== undefined && 'path' in directory) fs.mkdirSync(path.join(root, directory.path));
    const [MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, READ_ONLY, NOSUID] = [442, -100, 0x8000, 1, 2] as const;
    const attributes = u64(READ_ONLY | NOSUID, 0, 0, 0);
    must('Making the files read-only', MOUNT_SETATTR, AT_FDCWD, root, AT_RECURSIVE, attributes, attributes.length);
    for (const { target, kind, writable } of plan.mounts) {
      if (writable !== true && kind !== 'temporary') continue;
      const inside = path.join(root, target);
      const writing = u64(0, READ_ONLY, 0, 0);
      must(`Making ${target} writable`, MOUNT_SETATTR, AT_FDCWD, inside, AT_RECURSIVE, writing, writing.length);
    }
    const MNT_DETACH = 2;
    must('Entering the new root', calls.chdir, root);
    must('Changing the root', calls.pivot_root, '.', '.');
    must('Leaving the old root', calls.umount2, '.', MNT_DETACH);
    must('Entering the new root', calls.chdir, '/');
  }
  const [PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, CLEAR_ALL] = [
    1, 24, 38, 47, 4,
  ] as const;
  const [EPERM, EINVAL, SIGKILL] = [1, 22, 9] as const;
  if (plan.filter !== undefined) {
    for (let capability = 0; capability < 64; capability++) {
      const errno = attempt(calls.prctl, PR_CAPBSET_DROP, capability);
      // No capability has this number, or bubblewrap has already dropped all.
      if (errno === EINVAL || (errno === EPERM && plan.mounts === undefined)) break;
      if (errno !== 0)
        throw new Error(`Dropping the capability ${capability} failed with error ${errno} of the system`);
    }
    must('Dropping ambient capabilities', calls.prctl, PR_CAP_AMBIENT, CLEAR_ALL);
    must('Dropping privileges', calls.prctl, PR_SET_NO_NEW_PRIVS, 1);
  }
  must('Dying with the parent', calls.prctl, PR_SET_PDEATHSIG, SIGKILL);
  // The signal is only sent by a parent that ends later.
  if (plan.parent !== undefined && process.ppid !== plan.parent) process.exit(1);
  if (directory !== undefined && 'path' in directory) process.chdir(directory.path);
  else if (directory !== undefined) {
    const empty = fs.mkdtempSync(path.join(directory.temporary, 'headrace-empty-'));
    process.chdir(empty);
    fs.rmdirSync(empty);
  }
  const [CLOSE_RANGE, ALL, ON_EXEC] = [436, 0xffffffff, 4] as const;
  must('Closing files', CLOSE_RANGE, 3 + plan.files, ALL, ON_EXEC);
  // Node marks all files that it inherits, so that no other program gets them.
  const F_SETFD = 2;
  for (let file = 3; file < 3 + plan.files; file++) must(`Keeping the file ${file}`, calls.fcntl, file, F_SETFD, 0);
  if (plan.filter !== undefined) {
    const filter = Buffer.from(plan.filter, 'base64');
    const SET_MODE_FILTER = 1;
    const program = u64(filter.length / 8, raw(filter));
    must('Setting the filter of system calls', calls.seccomp, SET_MODE_FILTER, 0, program);
  }
  const { [hiddenOptions]: options, ...others } = process.env;
  const inherited = options === undefined ? others : { ...others, NODE_OPTIONS: options };
  const environment = plan.env ?? inherited;
  const args = [plan.command, ...plan.args];
  // Last, because this process itself may already use more memory than the program may.
  for (const [resource, limit] of plan.limits) {
    must(`Setting the limit ${resource}`, calls.prlimit64, 0, resource, u64(limit, limit));
  }
  process.execve?.(plan.command, args, environment);
}

/** Returns the arguments of Node that run a plan. */
export function launcherArgs(plan: LaunchPlan): string[] {
  const program = `(${launch.toString()})(JSON.parse(process.argv[1]), ${JSON.stringify(NEW_ROOT)}, ${JSON.stringify(HIDDEN_NODE_OPTIONS)},
    ${TEMPORARY_BYTES}, require('node:ffi'), require('node:fs'), require('node:path'), process);`;
  // Without compiled code and helper threads, the launcher needs 25 MiB instead of 560.
  const flags = ['--jitless', '--single-threaded', '--v8-pool-size=0', '--experimental-ffi', '--no-warnings'];
  return [...flags, '-e', program, JSON.stringify(plan)];
}
