import { dirname } from 'node:path';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { FileAccess } from './file-rules.ts';
import { installNetworkGuard, refuseConnection } from './network-guard.ts';
import { DEFAULT_POLICY, type Policy, type UsableBoundary } from './policy.ts';
import { POLICY_HINT, type PolicyRules, rulesOf } from './policy-rules.ts';

/*
 * A thread of a run works for one config at a time, so what that config may do is known to the thread as a whole: no
 * component has to be handed it, and none can forget to ask.
 */
let current: PolicyRules | undefined;

/**
 * Makes this thread hold a policy from now on: in everything that opens files through `allowedPath`, and in every
 * connection, whichever library makes it. Undefined: none, for configs that are trusted.
 */
export function enforcePolicy(policy: Policy | undefined): PolicyRules | undefined {
  current = policy === undefined ? undefined : rulesOf(policy);
  if (current !== undefined) installNetworkGuard(() => current?.hosts);
  return current;
}

/** As `enforcePolicy`, for what somebody asks this thread to do: a config that is not trusted has a policy in any case. */
export function enforcePolicyOf(request: {
  readonly trusted?: boolean | undefined;
  readonly registry: { readonly policy?: Policy | undefined };
}): void {
  enforcePolicy(request.registry.policy ?? (request.trusted === true ? undefined : DEFAULT_POLICY));
}

/** The rules that this thread holds; undefined when it works for a config that is trusted. */
export function currentRules(): PolicyRules | undefined {
  return current;
}

/** Whether this thread works for a config that may not do everything. */
export function isRestricted(): boolean {
  return current !== undefined;
}

/**
 * Whether what this thread works for may compute in it without end, as scripts outside of a sandbox do, and the SQL of a
 * database that lives in the process.
 */
export function mayComputeWithoutEnd(): boolean {
  return current === undefined || current.policy.scripts === 'all';
}

/**
 * The boundary of the operating system in which a script that has a process has to run; undefined when the config that
 * this thread works for needs none. Throws `HR_POLICY_NO_BOUNDARY` when it needs one and this machine has none.
 */
export function requiredBoundary(): UsableBoundary | undefined {
  const boundary = current?.scriptBoundary();
  if (boundary === undefined || 'kind' in boundary) return boundary;
  throw new HeadraceError(boundary.code, `An uploaded config may not run this script: ${boundary.reason}`, {
    hint: boundary.hint,
  });
}

/** Throws `HR_POLICY_REFUSED` when a directory holds files that no config may read: those of the service. */
export function requireNothingHidden(directory: string): void {
  const hidden = current?.files.hiddenIn(directory);
  if (hidden === undefined) return;
  throw new HeadraceError(
    'HR_POLICY_REFUSED',
    `A script of an uploaded config would see ${directory}, which has files of the service in it`,
    {
      hint: 'Who runs the service can move these files, or the scripts.',
    },
  );
}

/**
 * Throws `HR_POLICY_REFUSED` when an uploaded config may write a file that the service runs.
 * @param path absolute, whether it exists or not
 */
export function requireReadOnly(path: string): void {
  if (current === undefined || current.files.look(path, 'write').refused !== undefined) return;
  throw new HeadraceError(
    'HR_POLICY_REFUSED',
    `Uploaded configs may write below ${dirname(path)}, so they may not run the Python there`,
    { hint: 'Who runs the service can leave this directory out of `policy.write`, or install Python elsewhere.' },
  );
}

/**
 * For who reaches a host through somebody else, such as a proxy, so that no connection shows it: throws
 * `HR_POLICY_REFUSED` when its name, or the address in its place, is not allowed.
 */
export function requireAllowedHost(host: string, port: number): void {
  const refused = current?.hosts.refusedUnseen(host.replace(/^\[(.*)\]$/, '$1'), port);
  if (refused !== undefined) throw refuseConnection(host, refused);
}

/**
 * The path to open for a path that a config or a document names. Every component asks, for every file. Throws
 * `HR_POLICY_REFUSED` when the policy of the config does not allow it.
 * @returns the path itself, or, under a policy, the place that it leads to: open that, and follow no link at its end
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
