import { boundaryCommand, limitedCommand } from '@headrace/sandbox/boundary';
import type { UsableBoundary } from '../policy/policy.ts';

/**
 * A file or folder of the machine, and its path inside the boundary. The package of the sandbox has the same type, but
 * its types are not published, and custom components see this one.
 */
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

/**
 * What a helper process or a program may see and use. The limits always apply, on Linux. The boundary applies if the
 * policy of the thread requires one.
 */
export interface Confinement {
  /** The files and directories that it sees in a boundary, in addition to Node. All others do not exist there. */
  readonly mounts: readonly Mount[];
  /** The memory that it may write to: its heap, buffers, WebAssembly and thread stacks. At least 64 MiB. */
  readonly maxBytes: number;
  /** The processor time of all threads together. The kernel ends a process that uses more. */
  readonly maxProcessorSecs?: number;
}

/** A confinement, with the boundary that the policy of the requesting thread requires. */
export interface Confined extends Confinement {
  readonly boundary: UsableBoundary | undefined;
}

/**
 * Ctrl-C, a closed terminal and some service managers signal a whole group of processes. A run that ends after such a
 * signal still needs its helpers and programs, so each gets its own session. On Linux they still end with this process:
 * the kernel ends them. Elsewhere a session would let them outlive a killed process.
 */
export const OWN_SESSION = { detached: process.platform === 'linux' } as const;

interface Program {
  /** The absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The number of open files that it gets as its descriptors from 3. */
  readonly files: number;
}

/**
 * Returns the command that starts a program, and its environment: in a boundary, or with its limits, or only so that it
 * ends with this process.
 */
export function launchCommand(
  { command, args, env, files }: Program,
  confined: Confined | undefined,
): Omit<Program, 'files'> {
  if (confined?.boundary === undefined) {
    const { maxBytes, maxProcessorSecs } = confined ?? {};
    const limits = {
      ...(maxBytes === undefined ? {} : { maxBytes }),
      ...(maxProcessorSecs === undefined ? {} : { maxProcessorSecs }),
    };
    return limitedCommand({ command, args, env, files, ...limits, inEmptyDirectory: confined !== undefined });
  }
  const { boundary, ...limits } = confined;
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...boundaryCommand(boundary, { ...limits, command, args, env: Object.fromEntries(known), files }), env: {} };
}
