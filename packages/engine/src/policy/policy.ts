import { POLICY_LIMITS, type PolicyLimits, SHARED_LIMITS } from './policy-limits.ts';

/**
 * How the operating system isolates the script processes of uploads. `none` includes the reason why this machine has no
 * such boundary. Paths of tools are absolute.
 */
export type ScriptBoundary =
  | { readonly kind: 'bubblewrap'; readonly path: string }
  | { readonly kind: 'unshare'; readonly path: string; readonly setpriv: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A boundary that this machine has. */
export type UsableBoundary = Exclude<ScriptBoundary, { kind: 'none' }>;

/**
 * The restrictions of an untrusted config. Plain data, so that it can be sent to every thread. Presets and configs of
 * the command line have no policy and no restrictions.
 */
export interface Policy {
  /** The name of the policy. `own` means that the service file changes a policy. */
  readonly name: 'default' | 'strict' | 'own';
  readonly components: {
    /** Class names, `built-in` for all components of Headrace and its plugins, `*` for all. */
    readonly allow: readonly string[];
    /** Class names that are refused. Overrides `allow`. */
    readonly deny: readonly string[];
  };
  /** Directories or files that may be read. Undefined means all. */
  readonly read: readonly string[] | undefined;
  /** Directories or files that may be written. Undefined means all. */
  readonly write: readonly string[] | undefined;
  /** Paths that may never be read or written, even if the lists allow it: files of the service. */
  readonly never: readonly string[];
  /** The directory of the files that users uploaded. They may be read, even if `never` names them, and not written. */
  readonly uploads?: string;
  readonly hosts: {
    /**
     * Allowed hosts, in the format of `host-pattern.ts`. Undefined means every host. A host with its exact name may
     * have a private address.
     */
    readonly allow: readonly string[] | undefined;
    /** Refused hosts. Overrides `allow`. */
    readonly deny: readonly string[];
  };
  /** True if hosts may have private, loopback or link-local addresses. */
  readonly privateAddresses: boolean;
  /**
   * `none`: no scripts. `sandbox`: scripts that run in a sandbox. `all`: also scripts that run in a process of the
   * machine.
   */
  readonly scripts: 'none' | 'sandbox' | 'all';
  /** Limits for the values in a config. */
  readonly limits: PolicyLimits;
  /**
   * The boundary that the service found at its start, unless `scripts` is `all`. Absent if the service did not search
   * for one. In that case, there is no boundary.
   */
  readonly boundary?: ScriptBoundary;
}

/** With these paths, a config could read the environment and the open files of the process. */
const NEVER = ['/proc', '/sys', '/dev/fd', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty'] as const;

/** The default policy. It suits a developer who runs configs on a personal machine. */
export const DEFAULT_POLICY: Policy = {
  name: 'default',
  components: { allow: ['*'], deny: [] },
  read: undefined,
  write: undefined,
  never: NEVER,
  hosts: { allow: undefined, deny: [] },
  privateAddresses: true,
  scripts: 'all',
  limits: {},
};

/** The policy for a server with untrusted users. */
export const STRICT_POLICY: Policy = {
  name: 'strict',
  components: { allow: ['built-in'], deny: [] },
  read: [],
  write: [],
  never: NEVER,
  hosts: { allow: undefined, deny: [] },
  privateAddresses: false,
  scripts: 'sandbox',
  limits: SHARED_LIMITS,
};

/** Returns a policy as one line for the log. */
export function describePolicy(policy: Policy): string {
  const { name, components, read, write, uploads, hosts, privateAddresses, scripts, limits } = policy;
  const list = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));
  const classes = components.allow.includes('*')
    ? 'all'
    : list(components.allow).replace(/\bbuilt-in\b/, 'all that are built in');
  const without = (denied: readonly string[]) => (denied.length === 0 ? '' : ` but ${denied.join(', ')}`);
  return [
    `Policy for uploaded configs: ${name}`,
    `components ${classes}${without(components.deny)}`,
    `reads ${read === undefined ? 'all files that the process can read' : list([...read, ...(uploads === undefined ? [] : ['uploaded files'])])}`,
    `writes ${write === undefined ? 'all files that the process can write' : list(write)}`,
    `reaches ${hosts.allow === undefined ? 'all hosts' : list(hosts.allow)}${without(hosts.deny)}`,
    `private addresses ${privateAddresses ? 'yes' : 'no'}`,
    `scripts ${scripts === 'sandbox' ? 'in a sandbox only' : scripts}${scripts === 'all' ? '' : ` (${describeBoundary(policy)})`}`,
    `limits ${list(POLICY_LIMITS.flatMap((limit) => (limits[limit] === undefined ? [] : `${limit} ${limits[limit]}`)))}`,
  ].join('; ');
}

function describeBoundary({ boundary }: Policy): string {
  if (boundary === undefined || boundary.kind === 'none')
    return `no Python or native code: ${missingBoundary(boundary)}`;
  return `Python and native code inside a boundary of the operating system, created by ${boundary.path}`;
}

/** Returns the reason why there is no boundary for scripts. */
export function missingBoundary(boundary: Extract<ScriptBoundary, { kind: 'none' }> | undefined): string {
  return boundary?.reason ?? 'the service did not search for a boundary of the operating system';
}
