/**
 * The system calls that a process inside the boundary may make: [name, number on x64, number on arm64]. Node and
 * CPython need them to compute, to read files and to use their pipes. All others fail: sockets, new processes, other
 * namespaces, mounts, tracing, keys, io_uring, BPF.
 */
const ALLOWED: readonly (readonly [name: string, x64?: number, arm64?: number])[] = [
  ['read', 0, 63],
  ['write', 1, 64],
  ['readv', 19, 65],
  ['writev', 20, 66],
  ['pread64', 17, 67],
  ['lseek', 8, 62],
  ['close', 3, 57],
  ['close_range', 436, 436],
  ['fstat', 5, 80],
  ['newfstatat', 262, 79],
  ['stat', 4],
  ['lstat', 6],
  ['statx', 332, 291],
  ['statfs', 137, 43],
  ['fstatfs', 138, 44],
  ['access', 21],
  ['faccessat', 269, 48],
  ['faccessat2', 439, 439],
  ['open', 2],
  ['openat', 257, 56],
  ['readlink', 89],
  ['readlinkat', 267, 78],
  ['getdents64', 217, 61],
  ['getcwd', 79, 17],
  ['chdir', 80, 49],
  ['fcntl', 72, 25],
  ['dup', 32, 23],
  ['dup2', 33],
  ['dup3', 292, 24],
  ['pipe', 22],
  ['pipe2', 293, 59],
  ['poll', 7],
  ['ppoll', 271, 73],
  ['select', 23],
  ['pselect6', 270, 72],
  ['epoll_create1', 291, 20],
  ['epoll_ctl', 233, 21],
  ['epoll_wait', 232],
  ['epoll_pwait', 281, 22],
  ['epoll_pwait2', 441, 441],
  ['eventfd2', 290, 19],
  ['munmap', 11, 215],
  ['mprotect', 10, 226],
  ['mremap', 25, 216],
  ['madvise', 28, 233],
  ['brk', 12, 214],
  ['mincore', 27, 232],
  ['membarrier', 324, 283],
  ['pkey_alloc', 330, 289],
  ['pkey_free', 331, 290],
  ['pkey_mprotect', 329, 288],
  ['futex', 202, 98],
  ['set_robust_list', 273, 99],
  ['rseq', 334, 293],
  ['set_tid_address', 218, 96],
  ['exit', 60, 93],
  ['exit_group', 231, 94],
  ['execve', 59, 221],
  ['rt_sigaction', 13, 134],
  ['rt_sigprocmask', 14, 135],
  ['rt_sigreturn', 15, 139],
  ['sigaltstack', 131, 132],
  ['tgkill', 234, 131],
  ['restart_syscall', 219, 128],
  ['nanosleep', 35, 101],
  ['clock_nanosleep', 230, 115],
  ['clock_gettime', 228, 113],
  ['clock_getres', 229, 114],
  ['gettimeofday', 96, 169],
  ['time', 201],
  ['times', 100, 153],
  ['getrusage', 98, 165],
  ['getpid', 39, 172],
  ['getppid', 110, 173],
  ['gettid', 186, 178],
  ['getuid', 102, 174],
  ['geteuid', 107, 175],
  ['getgid', 104, 176],
  ['getegid', 108, 177],
  ['getresuid', 118, 148],
  ['getresgid', 120, 150],
  ['getgroups', 115, 158],
  ['arch_prctl', 158],
  ['capget', 125, 90],
  ['getpriority', 140, 141],
  ['sched_yield', 24, 124],
  ['sched_getaffinity', 204, 123],
  ['sched_getparam', 143, 121],
  ['sched_getscheduler', 145, 120],
  ['get_mempolicy', 239, 236],
  ['getrandom', 318, 278],
  ['getcpu', 309, 168],
  ['uname', 63, 160],
  ['sysinfo', 99, 179],
  ['prlimit64', 302, 261],
  ['getrlimit', 97, 163],
  ['umask', 95, 166],
  // Node creates pipes as pairs of sockets.
  ['getsockopt', 55, 209],
  ['getsockname', 51, 204],
  ['shutdown', 48, 210],
];

/** The system calls that only a process with writable files may make: a database changes, creates and deletes files. */
const WRITING: typeof ALLOWED = [
  ['pwrite64', 18, 68],
  ['pwritev', 296, 70],
  ['fsync', 74, 82],
  ['fdatasync', 75, 83],
  ['ftruncate', 77, 46],
  ['fallocate', 285, 47],
  ['fchmod', 91, 52],
  ['mkdir', 83],
  ['mkdirat', 258, 34],
  ['rename', 82],
  ['renameat', 264, 38],
  ['renameat2', 316, 276],
  ['unlink', 87],
  ['unlinkat', 263, 35],
  ['rmdir', 84],
  ['link', 86],
  ['linkat', 265, 37],
  ['flock', 73, 32],
  ['copy_file_range', 326, 285],
  ['utimensat', 280, 88],
  // The runtime of Rust wakes its threads through a pair of sockets, which reaches no other process.
  ['socketpair', 53, 199],
];

/** System calls that are allowed only for some arguments, see below. */
const RULED = {
  x64: { clone: 56, mmap: 9, ioctl: 16, prctl: 157 },
  arm64: { clone: 220, mmap: 222, ioctl: 29, prctl: 167 },
} as const;
const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/** For `clone`: allows a new thread of this process, but no new process. */
const CLONE_THREAD = 0x10000;
/** For `mmap`: refuses memory that `RLIMIT_DATA` does not count. */
const UNCOUNTED_MEMORY = 0x101; // MAP_SHARED, MAP_GROWSDOWN
/** For `prctl`: a process that clears its parent-death signal would outlive the service. Other options need no rule. */
const PR_SET_PDEATHSIG = 1;
/** For `ioctl`: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. */
const IOCTLS = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451] as const;

const EPERM = 1;
const ENOSYS = 38;
/** The first of the newer system calls. If the kernel reports that they do not exist, programs use older ones. */
const FIRST_NEW_CALL = 424;

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const refuse = (errno: number) => 0x00050000 | errno;

/** Offsets in `struct seccomp_data`. For arguments, the offset of the low half. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + index * 8;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

/**
 * Returns the filter of system calls in the kernel's format: an array of `struct sock_filter`.
 * @param writes whether the process has writable files
 * @returns undefined for an architecture that the filter does not support
 */
export function syscallFilter(architecture: string, { writes = false } = {}): Uint8Array | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const ruled = RULED[architecture];
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH[architecture]],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
  ];
  for (const [, x64, arm64] of writes ? [...ALLOWED, ...WRITING] : ALLOWED) {
    const number = architecture === 'x64' ? x64 : arm64;
    if (number !== undefined) program.push([JUMP_IF_EQUAL, 0, 1, number], [RETURN, 0, 0, ALLOW]);
  }
  program.push(
    [JUMP_IF_EQUAL, 0, 4, ruled.clone],
    [LOAD, 0, 0, argument(0)],
    [JUMP_IF_ANY_BIT, 0, 1, CLONE_THREAD],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, refuse(EPERM)],
    [JUMP_IF_EQUAL, 0, 4, ruled.mmap],
    [LOAD, 0, 0, argument(3)],
    [JUMP_IF_ANY_BIT, 1, 0, UNCOUNTED_MEMORY],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, refuse(EPERM)],
    [JUMP_IF_EQUAL, 0, 2 * IOCTLS.length + 2, ruled.ioctl],
    [LOAD, 0, 0, argument(1)],
    ...IOCTLS.flatMap((request): Instruction[] => [
      [JUMP_IF_EQUAL, 0, 1, request],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, refuse(EPERM)],
    [JUMP_IF_EQUAL, 0, 4, ruled.prctl],
    [LOAD, 0, 0, argument(0)],
    [JUMP_IF_EQUAL, 1, 0, PR_SET_PDEATHSIG],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, refuse(EPERM)],
    // Also rejects the calls of x32, the 32-bit variant of x64 (numbered from 2^30).
    [JUMP_IF_AT_LEAST, 0, 1, FIRST_NEW_CALL],
    [RETURN, 0, 0, refuse(ENOSYS)],
    [RETURN, 0, 0, refuse(EPERM)],
  );
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, jumpTrue);
    bytes.setUint8(index * 8 + 3, jumpFalse);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
