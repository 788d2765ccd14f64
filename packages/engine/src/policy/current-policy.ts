import { dirname } from 'node:path';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { FileAccess } from './file-rules.ts';
import { installNetworkGuard, refuseConnection } from './network-guard.ts';
import { DEFAULT_POLICY, type Policy, type UsableBoundary } from './policy.ts';
import { POLICY_HINT, type PolicyRules, rulesOf } from './policy-rules.ts';

/**
 * A thread of a run works for one config at a time. So the policy of that config is set for the whole thread: no
 * component needs to receive it, and none can forget to ask.
 */
let current: PolicyRules | undefined;

/**
 * Sets the policy of this thread. It applies to everything that opens files through `allowedPath`, and to every
 * connection of every library. Undefined: no policy, for trusted configs.
 */
export function enforcePolicy(policy: Policy | undefined): PolicyRules | undefined {
  current = policy === undefined ? undefined : rulesOf(policy);
  if (current !== undefined) installNetworkGuard(() => current?.hosts);
  return current;
}

/** As `enforcePolicy`, for a request to this thread: a config that is not trusted always has a policy. */
export function enforcePolicyOf(request: {
  readonly trusted?: boolean | undefined;
  readonly registry: { readonly policy?: Policy | undefined };
}): void {
  enforcePolicy(request.registry.policy ?? (request.trusted === true ? undefined : DEFAULT_POLICY));
}

/** The rules of this thread; undefined if it works for a trusted config. */
export function currentRules(): PolicyRules | undefined {
  return current;
}

/** Whether this thread works for a config with restrictions. */
export function isRestricted(): boolean {
  return current !== undefined;
}

/**
 * Whether the config of this thread may use code that can compute without end inside this process: scripts outside a
 * sandbox, and the SQL of a database inside the process.
 */
export function mayComputeWithoutEnd(): boolean {
  return current === undefined || current.policy.scripts === 'all';
}

/**
 * The boundary of the operating system in which a script process must run; undefined if the config of this thread needs
 * none. Throws `HR_POLICY_NO_BOUNDARY` if it needs one and this machine has none.
 */
export function requiredBoundary(): UsableBoundary | undefined {
  const boundary = current?.scriptBoundary();
  if (boundary === undefined || 'kind' in boundary) return boundary;
  throw new HeadraceError(boundary.code, `An uploaded config may not run this script: ${boundary.reason}`, {
    hint: boundary.hint,
  });
}

/** Throws `HR_POLICY_REFUSED` if a directory contains files that no config may read: those of the service. */
export function requireNothingHidden(directory: string): void {
  const hidden = current?.files.hiddenIn(directory);
  if (hidden === undefined) return;
  throw new HeadraceError(
    'HR_POLICY_REFUSED',
    `A script of an uploaded config would see ${directory}, which contains files of the service`,
    {
      hint: 'The operator of the service can move these files, or the scripts.',
    },
  );
}

/**
 * Throws `HR_POLICY_REFUSED` if an uploaded config may write a file that the service runs.
 * @param path absolute; it need not exist
 */
export function requireReadOnly(path: string): void {
  if (current === undefined || current.files.look(path, 'write').refused !== undefined) return;
  throw new HeadraceError(
    'HR_POLICY_REFUSED',
    `Uploaded configs may write below ${dirname(path)}, so they may not run the Python there`,
    {
      hint: 'The operator of the service can leave this directory out of `policy.write`, or install Python elsewhere.',
    },
  );
}

/**
 * For clients that reach a host through another one, such as a proxy, so that no connection shows it. Throws
 * `HR_POLICY_REFUSED` if its name, or the address in its place, is not allowed.
 */
export function requireAllowedHost(host: string, port: number): void {
  const refused = current?.hosts.refusedUnseen(host.replace(/^\[(.*)\]$/, '$1'), port);
  if (refused !== undefined) throw refuseConnection(host, refused);
}

/**
 * The path to open for a path that a config or a document names. Every component must call this for every file. Throws
 * `HR_POLICY_REFUSED` if the policy of the config does not allow it.
 * @returns the path itself without a policy, or the real path with one: open that, and do not follow a link at its end
 */
export function allowedPath(path: string, access: FileAccess): string {
  if (current === undefined) return path;
  const { real, refused } = current.files.look(path, access);
  if (refused !== undefined) {
    throw new HeadraceError('HR_POLICY_REFUSED', `An uploaded config may not ${access} ${path}: ${refused}`, {
      hint: POLICY_HINT,
    });
  }
  return real;
}
