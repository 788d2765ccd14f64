import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { release } from 'node:os';
import { delimiter, join } from 'node:path';
import { messageOf } from '../problems/message-of.ts';
import { boundaryCommand, NODE_INSIDE } from './boundary-command.ts';
import { probeArgs } from './probe.ts';
import type { ScriptBoundary, UsableBoundary } from './script-boundary.ts';
import { syscallFilter } from './syscall-filter.ts';

/**
 * The first kernel version that counts the threads of each user namespace separately, and has all system calls of the
 * launcher.
 */
const FIRST_KERNEL = [5, 14] as const;

const PROBE_BYTES = 1024 * 1024 * 1024;
/** The time limit of a probe. It usually takes a fifth of a second, but much longer on a busy machine. */
const PROBE_MILLIS = 60_000;
const MAX_REASON_CHARACTERS = 300;

/**
 * Finds a boundary of the operating system for uploaded scripts: bubblewrap, or else unshare of util-linux. It starts
 * each tool with a program inside that tries to break out, and returns the first boundary that holds.
 * @param hidden paths that must not be visible inside, such as the store of the service
 * @param path the folders of the tools, in the format of `PATH`
 */
export async function findBoundary(hidden: readonly string[], path = process.env.PATH ?? ''): Promise<ScriptBoundary> {
  if (process.platform !== 'linux') return { kind: 'none', reason: `it needs Linux, this is ${process.platform}` };
  if (!isRecent(release()))
    return { kind: 'none', reason: `it needs Linux ${FIRST_KERNEL.join('.')}, this is ${release()}` };
  if (syscallFilter(process.arch) === undefined) {
    return { kind: 'none', reason: `it needs a processor of the kind x64 or arm64, this is ${process.arch}` };
  }
  if (!existsSync(`/proc/self/task/${process.pid}/children`)) {
    // Without the list, the processor time of the program inside cannot be measured.
    return { kind: 'none', reason: '/proc does not list the children of processes' };
  }
  const [bwrap, unshare, setpriv] = ['bwrap', 'unshare', 'setpriv'].map((name) => findProgram(name, path));
  const candidates: UsableBoundary[] = [];
  if (bwrap !== undefined) candidates.push({ kind: 'bubblewrap', path: bwrap });
  if (unshare !== undefined && setpriv !== undefined) candidates.push({ kind: 'unshare', path: unshare, setpriv });
  const reasons = [
    ...(bwrap === undefined ? ['bubblewrap (bwrap) is not installed'] : []),
    ...(unshare === undefined || setpriv === undefined ? ['unshare and setpriv of util-linux are not installed'] : []),
  ];
  for (const candidate of candidates) {
    const failure = await failureOf(candidate, hidden);
    if (failure === undefined) return candidate;
    reasons.push(`${candidate.path} failed: ${failure}`);
  }
  return { kind: 'none', reason: reasons.join('; ') };
}

function isRecent(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  return major > FIRST_KERNEL[0] || (major === FIRST_KERNEL[0] && minor >= FIRST_KERNEL[1]);
}

/** Returns the error of a boundary, or undefined if it works. */
function failureOf(boundary: UsableBoundary, hidden: readonly string[]): Promise<string | undefined> {
  const { command, args } = boundaryCommand(boundary, {
    mounts: [],
    maxBytes: PROBE_BYTES,
    command: NODE_INSIDE,
    args: probeArgs({ hidden, maxBytes: PROBE_BYTES, architecture: process.arch }),
  });
  return new Promise((done) => {
    execFile(command, args, { env: {}, timeout: PROBE_MILLIS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error !== null) return done(reasonIn(stderr) ?? messageOf(error).slice(0, MAX_REASON_CHARACTERS));
      done(failureIn(stdout));
    });
  });
}

/** Returns the actions that the probe could do, or undefined if it could do none. */
function failureIn(stdout: string): string | undefined {
  try {
    const holes = JSON.parse(stdout) as string[];
    return holes.length === 0 ? undefined : `a program inside ${holes.join(', ')}`;
  } catch {
    return 'it did not run the program';
  }
}

/** Returns the first error line of a tool or of Node. */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^\w*Error: /.test(each)) ?? lines[0];
  return line?.slice(0, MAX_REASON_CHARACTERS);
}

function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter).filter((each) => each.startsWith('/'))) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The tool does not exist.
    }
  }
  return undefined;
}
