import { dirname } from 'node:path';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { FileAccess } from './file-rules.ts';
import { installNetworkGuard, refuseConnection } from './network-guard.ts';
import { DEFAULT_POLICY, type Policy, type UsableBoundary } from './policy.ts';
import { POLICY_HINT, type PolicyRules, rulesOf } from './policy-rules.ts';

/**
 * The policy of this thread. A thread of a run works for only one config at a time, so the policy is set for the whole
 * thread. Components do not receive it and cannot forget to check it.
 */
let current: PolicyRules | undefined;

/**
 * Sets the policy of this thread. It applies to all files that are opened through `allowedPath`, and to every
 * connection of every library. Undefined means no policy, for trusted configs.
 */
export function enforcePolicy(policy: Policy | undefined): PolicyRules | undefined {
  current = policy === undefined ? undefined : rulesOf(policy);
  if (current !== undefined) installNetworkGuard(() => current?.hosts);
  return current;
}

/** Sets the policy of this thread for a request. An untrusted config always has a policy. */
export function enforcePolicyOf(request: {
  readonly trusted?: boolean | undefined;
  readonly registry: { readonly policy?: Policy | undefined };
}): void {
  enforcePolicy(request.registry.policy ?? (request.trusted === true ? undefined : DEFAULT_POLICY));
}

/** Returns the rules of this thread. Undefined if the thread works for a trusted config. */
export function currentRules(): PolicyRules | undefined {
  return current;
}

/** Returns true if this thread works for a config with restrictions. */
export function isRestricted(): boolean {
  return current !== undefined;
}

/**
 * Returns true if the config of this thread may use code that can compute endlessly in this process: scripts outside a
 * sandbox, and SQL of a database inside the process.
 */
export function mayComputeWithoutEnd(): boolean {
  return current === undefined || current.policy.scripts === 'all';
}

/**
 * Returns the operating-system boundary in which the process of a script, a native library or a program must run. Returns
 * undefined if the config of this
 * thread needs none. Throws `HR_POLICY_NO_BOUNDARY` if it needs one and this machine has none.
 */
export function requiredBoundary(): UsableBoundary | undefined {
  const boundary = current?.scriptBoundary();
  if (boundary === undefined || 'kind' in boundary) return boundary;
  throw new HeadraceError(boundary.code, `An uploaded config may not run this code: ${boundary.reason}`, {
    hint: boundary.hint,
  });
}

/** Returns the problem of a native library or program that needs a boundary that this machine does not have. */
export function missingBoundaryProblem(
  parameter: string,
): { parameter: string; code: 'HR_POLICY_NO_BOUNDARY'; message: string; hint: string } | undefined {
  const boundary = current?.scriptBoundary();
  if (boundary === undefined || 'kind' in boundary) return undefined;
  const message = `An uploaded config may not use this native code: ${boundary.reason}`;
  return { parameter, code: 'HR_POLICY_NO_BOUNDARY', message, hint: boundary.hint };
}

const MB = 1024 * 1024;

/** Returns the memory that a helper process may use: as much as it asks for, or what the policy allows if it is less. */
export function allowedBytes(bytes: number): number {
  const { maxHelperMemoryMb } = current?.policy.limits ?? {};
  return maxHelperMemoryMb === undefined ? bytes : Math.min(bytes, maxHelperMemoryMb * MB);
}

/**
 * Returns the time that a helper process or a program may take for one piece of work, in milliseconds: `millis`, or the
 * limit of the policy for a document if it is less.
 */
export function allowedMillis(millis: number): number {
  const { maxProcessingSecs } = current?.policy.limits ?? {};
  return maxProcessingSecs === undefined ? millis : Math.min(millis, maxProcessingSecs * 1000);
}

/** Returns the time that a program may take for the whole run, in seconds: `seconds`, or the limit of the policy for a run. */
export function allowedRunSecs(seconds: number): number {
  return Math.min(seconds, current?.policy.limits.maxRunSecs ?? seconds);
}

/** Throws `HR_POLICY_REFUSED` if a directory contains files of the service, which no config may read. */
export function requireNothingHidden(directory: string): void {
  const hidden = current?.files.hiddenIn(directory);
  if (hidden === undefined) return;
  throw new HeadraceError(
    'HR_POLICY_REFUSED',
    `A process of an uploaded config could read ${directory}, which contains files of the service`,
    {
      hint: 'The operator of the service can move these files or the scripts to another directory.',
    },
  );
}

/**
 * Throws `HR_POLICY_REFUSED` if an uploaded config may write a file that the service executes.
 * @param path an absolute path; the file may be missing
 */
export function requireReadOnly(path: string): void {
  if (current === undefined || current.files.look(path, 'write').refused !== undefined) return;
  throw new HeadraceError(
    'HR_POLICY_REFUSED',
    `Uploaded configs may write to ${dirname(path)}, so they may not run Python from this directory`,
    {
      hint: 'The operator of the service can remove this directory from `policy.write`, or install Python in another directory.',
    },
  );
}

/**
 * Checks a host that a client reaches through another host, such as a proxy. The network guard cannot check it, because
 * there is no connection to it. Throws `HR_POLICY_REFUSED` if the policy does not allow the host name or address.
 */
export function requireAllowedHost(host: string, port: number): void {
  const refused = current?.hosts.refusedUnseen(host.replace(/^\[(.*)\]$/, '$1'), port);
  if (refused !== undefined) throw refuseConnection(host, refused);
}

/**
 * Returns the path to open for a path in a config or a document. Every component must call this for every file. Throws
 * `HR_POLICY_REFUSED` if the policy of the config does not allow the path.
 * @returns without a policy: the path itself; with a policy: the real path, which must be opened without following a
 * link at its end
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
