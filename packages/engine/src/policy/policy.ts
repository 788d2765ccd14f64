import { POLICY_LIMITS, type PolicyLimits, SHARED_LIMITS } from './policy-limits.ts';

/**
 * The isolation that the operating system provides for script processes of uploads. `none` is the reason why this
 * machine has none. Tools are absolute paths.
 */
export type ScriptBoundary =
  | { readonly kind: 'bubblewrap'; readonly path: string }
  | { readonly kind: 'unshare'; readonly path: string; readonly setpriv: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A boundary that this machine has. */
export type UsableBoundary = Exclude<ScriptBoundary, { kind: 'none' }>;

/**
 * The restrictions of an untrusted config: plain data, so that it can be sent to every thread. Presets and the command
 * line have no policy and no restrictions.
 */
export interface Policy {
  /** `default`, `strict`, or `own` for a policy that the service file changes. */
  readonly name: 'default' | 'strict' | 'own';
  readonly components: {
    /** Names of classes, `built-in` for all that come with Headrace and its plugins, `*` for all. */
    readonly allow: readonly string[];
    /** Names of classes; overrides `allow`. */
    readonly deny: readonly string[];
  };
  /** Directories, or files, that may be read; undefined: all. */
  readonly read: readonly string[] | undefined;
  /** Directories, or files, that may be written; undefined: all. */
  readonly write: readonly string[] | undefined;
  /** Paths that may never be read or written, whatever the lists say: files of the service itself. */
  readonly never: readonly string[];
  readonly hosts: {
    /**
     * See `host-pattern.ts` for the form. Undefined: every host. A host that is named exactly may have a private
     * address.
     */
    readonly allow: readonly string[] | undefined;
    /** Overrides `allow`. */
    readonly deny: readonly string[];
  };
  /** Whether hosts may have private, loopback or link-local addresses. */
  readonly privateAddresses: boolean;
  /** Scripts: none; those that run in a sandbox; also those that run in a process of the machine. */
  readonly scripts: 'none' | 'sandbox' | 'all';
  /** Limits for the values that a config may set. */
  readonly limits: PolicyLimits;
  /**
   * If `scripts` is `sandbox`: the boundary that the start of the service found. Absent: there was no search, so there
   * is none.
   */
  readonly boundary?: ScriptBoundary;
}

/** Through these paths a config could read the environment and the open files of the process. */
const NEVER = ['/proc', '/sys', '/dev/fd', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty'] as const;

/** Allows the configs of a developer to work on the developer's machine. */
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

/** For a server with untrusted users. */
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

/** A policy in one line, for the log. */
export function describePolicy(policy: Policy): string {
  const { name, components, read, write, hosts, privateAddresses, scripts, limits } = policy;
  const list = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));
  const classes = components.allow.includes('*')
    ? 'all'
    : list(components.allow).replace(/\bbuilt-in\b/, 'all that are built in');
  const without = (denied: readonly string[]) => (denied.length === 0 ? '' : ` but ${denied.join(', ')}`);
  return [
    `Policy for uploaded configs: ${name}`,
    `components ${classes}${without(components.deny)}`,
    `reads ${read === undefined ? 'all files that the process can' : list(read)}`,
    `writes ${write === undefined ? 'all files that the process can' : list(write)}`,
    `reaches ${hosts.allow === undefined ? 'all hosts' : list(hosts.allow)}${without(hosts.deny)}`,
    `private addresses ${privateAddresses ? 'yes' : 'no'}`,
    `scripts ${scripts === 'sandbox' ? `in a sandbox only (${describeBoundary(policy)})` : scripts}`,
    `limits ${list(POLICY_LIMITS.flatMap((limit) => (limits[limit] === undefined ? [] : `${limit} ${limits[limit]}`)))}`,
  ].join('; ');
}

function describeBoundary({ boundary }: Policy): string {
  if (boundary === undefined || boundary.kind === 'none') return `no Python: ${missingBoundary(boundary)}`;
  return `Python inside a boundary of the operating system, made by ${boundary.path}`;
}

/** Why scripts have no boundary to run in. */
export function missingBoundary(boundary: Extract<ScriptBoundary, { kind: 'none' }> | undefined): string {
  return boundary?.reason ?? 'the service did not look for a boundary of the operating system';
}
