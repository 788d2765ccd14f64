/** A file or folder of the machine, and its path inside the boundary. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly kind: 'file' | 'directory' | 'device';
}

/** The task of the launcher, as JSON. */
export interface LaunchPlan {
  /** The content of the file system. Absent if bubblewrap has already created it. */
  readonly mounts?: readonly Mount[];
  /** Pairs of a `RLIMIT_…` number and its limit. */
  readonly limits: readonly (readonly [resource: number, limit: number])[];
  /** The system call filter in base64. */
  readonly filter: string;
  /** The absolute path and the arguments of the program to run inside. */
  readonly command: string;
  readonly args: readonly string[];
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

export const LAUNCH_CALLS: Readonly<Record<string, LaunchCalls>> = {
  x64: { mount: 165, umount2: 166, pivot_root: 155, chdir: 80, prctl: 157, prlimit64: 302, seccomp: 317 },
  arm64: { mount: 40, umount2: 39, pivot_root: 41, chdir: 49, prctl: 167, prlimit64: 261, seccomp: 277 },
};

/**
 * Locks the process in. It is the first process in the new namespaces: it creates the file system, drops capabilities
 * and privileges, and sets the limits and the system call filter. Then it becomes the program to run inside. Its source
 * is passed to Node as text, so it must not use anything outside itself. Any error ends it, so that no program runs
 * with an incomplete boundary.
 */
function launch(
  plan: LaunchPlan,
  root: string,
  ffi: Ffi,
  fs: typeof import('node:fs'),
  path: typeof import('node:path'),
  execve: (file: string, args: string[], env: object) => void,
): void {
  const { calls } = plan;
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
      fs.mkdirSync(kind === 'directory' ? inside : path.dirname(inside), { recursive: true });
      if (kind !== 'directory') fs.writeFileSync(inside, '');
      must(`Mounting ${source}`, calls.mount, source, inside, 0, MS_BIND | MS_REC);
    }
    const [MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, READ_ONLY_NOSUID] = [442, -100, 0x8000, 1 | 2] as const;
    const attributes = u64(READ_ONLY_NOSUID, 0, 0, 0);
    must('Making the files read-only', MOUNT_SETATTR, AT_FDCWD, root, AT_RECURSIVE, attributes, attributes.length);
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
  for (let capability = 0; capability < 64; capability++) {
    const errno = attempt(calls.prctl, PR_CAPBSET_DROP, capability);
    // No capability has this number, or bubblewrap has already dropped all.
    if (errno === EINVAL || (errno === EPERM && plan.mounts === undefined)) break;
    if (errno !== 0) throw new Error(`Dropping the capability ${capability} failed with error ${errno} of the system`);
  }
  must('Dropping ambient capabilities', calls.prctl, PR_CAP_AMBIENT, CLEAR_ALL);
  must('Dying with the parent', calls.prctl, PR_SET_PDEATHSIG, SIGKILL);
  must('Dropping privileges', calls.prctl, PR_SET_NO_NEW_PRIVS, 1);
  for (const [resource, limit] of plan.limits) {
    must(`Setting the limit ${resource}`, calls.prlimit64, 0, resource, u64(limit, limit));
  }
  const [CLOSE_RANGE, ALL, ON_EXEC] = [436, 0xffffffff, 4] as const;
  must('Closing files', CLOSE_RANGE, 3, ALL, ON_EXEC);
  const filter = Buffer.from(plan.filter, 'base64');
  const SET_MODE_FILTER = 1;
  const program = u64(filter.length / 8, raw(filter));
  must('Setting the filter of system calls', calls.seccomp, SET_MODE_FILTER, 0, program);
  execve(plan.command, [plan.command, ...plan.args], {});
}

/** Returns the arguments of Node that run a plan. */
export function launcherArgs(plan: LaunchPlan): string[] {
  const program = `(${launch.toString()})(JSON.parse(process.argv[1]), ${JSON.stringify(NEW_ROOT)}, require('node:ffi'),
    require('node:fs'), require('node:path'), (file, args, env) => process.execve(file, args, env));`;
  return ['--experimental-ffi', '--no-warnings', '-e', program, JSON.stringify(plan)];
}
