/** The part of `node:ffi` that the probe uses. Its types are not published yet. */
interface Ffi {
  readonly DynamicLibrary: new (
    path: null,
  ) => { getFunction(name: string, signature: object): (...args: bigint[]) => bigint };
}

interface ProbeRequest {
  /** Paths that must not be visible inside. */
  readonly hidden: readonly string[];
  /** More memory than the process may have. */
  readonly maxBytes: number;
  readonly architecture: string;
}

/**
 * Runs inside a boundary and tries to break out. Its source is passed to Node as text, so it must not use anything
 * outside itself.
 * @returns the forbidden actions that succeeded, each as the end of a sentence
 */
function probe(
  request: ProbeRequest,
  fs: typeof import('node:fs'),
  { spawnSync }: typeof import('node:child_process'),
  { DynamicLibrary }: Ffi,
): string[] {
  const holes: string[] = [];
  const mustFail = (what: string, attempt: () => unknown) => {
    try {
      attempt();
    } catch {
      return;
    }
    holes.push(what);
  };
  const must = (what: string, holds: boolean) => {
    if (!holds) holes.push(what);
  };

  for (const path of [...request.hidden, '/etc/passwd', '/proc/self', '/sys/kernel', '/root', '/home']) {
    mustFail(`sees ${path}`, () => fs.lstatSync(path));
  }
  for (const folder of ['/', '/dev', '/tmp']) {
    mustFail(`writes to ${folder}`, () => fs.writeFileSync(`${folder}/headrace-probe`, ''));
  }
  mustFail('gets more memory than its limit', () => new Uint8Array(request.maxBytes));
  must('starts processes', spawnSync(process.execPath, ['--version']).error !== undefined);
  must('sees other processes', process.pid === 1);
  must('has an environment', Object.keys(process.env).length === 0);

  const long = 'int64';
  const syscall = new DynamicLibrary(null).getFunction('syscall', {
    arguments: [long, long, long, long, long, long, long],
    return: long,
  });
  const call = (number: number, ...args: number[]) =>
    Number(syscall(...([number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(BigInt) as bigint[])));
  const [SOCKET, UNSHARE, PTRACE, PRCTL] = request.architecture === 'x64' ? [41, 272, 101, 157] : [198, 97, 117, 167];
  const [AF_UNIX, AF_INET, AF_NETLINK, SOCK_STREAM, SOCK_RAW, CLONE_NEWUSER] = [1, 2, 16, 1, 3, 0x10000000];
  must('opens sockets to the network', call(SOCKET as number, AF_INET, SOCK_STREAM) < 0);
  must('opens sockets to programs', call(SOCKET as number, AF_UNIX, SOCK_STREAM) < 0);
  must('opens sockets to the kernel', call(SOCKET as number, AF_NETLINK, SOCK_RAW) < 0);
  must('makes namespaces', call(UNSHARE as number, CLONE_NEWUSER) < 0);
  must('traces processes', call(PTRACE as number, 0) < 0);
  const PR_SET_PDEATHSIG = 1;
  must('can outlive the service', call(PRCTL as number, PR_SET_PDEATHSIG, 0) < 0);
  const [PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS] = [21, 23, 39];
  must('has no filter of system calls', call(PRCTL as number, PR_GET_SECCOMP) === 2);
  must('can gain privileges', call(PRCTL as number, PR_GET_NO_NEW_PRIVS) === 1);
  for (let capability = 0; capability < 41; capability++) {
    must(`keeps the capability ${capability}`, call(PRCTL as number, PR_CAPBSET_READ, capability) <= 0);
  }
  return holes;
}

/**
 * Returns the arguments of Node that run the probe. They enable `node:ffi`, which reaches further than the normal API
 * of Node.
 */
export function probeArgs(request: ProbeRequest): string[] {
  const program = `console.log(JSON.stringify((${probe.toString()})(${JSON.stringify(request)}, require('node:fs'),
    require('node:child_process'), require('node:ffi'))));`;
  return ['--experimental-ffi', '--no-warnings', '-e', program];
}
