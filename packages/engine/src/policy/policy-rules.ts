import { FileRules } from './file-rules.ts';
import { HostRules } from './host-rules.ts';
import { type AccessKind, isInProcess, placesIn } from './places.ts';
import { missingBoundary, type Policy, type UsableBoundary } from './policy.ts';
import type { Cap } from './policy-limits.ts';

/** The hint for a refusal that applies to all uploads. It says who can change the policy, and where. */
export const POLICY_HINT = 'The operator of the service can allow it: `policy` in the service file.';

/** The hint for a machine without an operating-system boundary for scripts. */
export const BOUNDARY_HINT =
  'The operator of the service can install bubblewrap, or allow the user of the service to create user namespaces (docs/security.md), ' +
  'and restart the service. If all users who upload are trusted, the operator can set `policy.scripts: all` in the service file.';

/** The reason why something is not allowed, with the code and hint of the error. */
export interface PolicyViolation {
  readonly code: 'HR_POLICY_REFUSED' | 'HR_POLICY_NO_BOUNDARY';
  readonly reason: string;
  readonly hint: string;
}

/** The properties of a component that a policy checks. They are part of its catalog entry. */
export interface PolicedComponent {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The place in which its scripts run, as in `CatalogEntry`. */
  readonly scripts?: 'sandbox' | 'boundary' | 'process';
}

/** A compiled policy. */
export class PolicyRules {
  readonly policy: Policy;
  readonly files: FileRules;
  readonly hosts: HostRules;

  constructor(policy: Policy) {
    this.policy = policy;
    this.files = new FileRules(policy);
    this.hosts = new HostRules(policy);
  }

  /** Returns the reason why a component may not be used, or undefined if it is allowed. */
  refusedComponent(entry: PolicedComponent, builtIn: boolean): PolicyViolation | undefined {
    const refused = this.#refusedName(entry, builtIn) ?? this.#refusedScripts(entry, builtIn);
    if (refused !== undefined) return { code: 'HR_POLICY_REFUSED', reason: refused, hint: POLICY_HINT };
    const boundary = entry.scripts === 'boundary' ? this.scriptBoundary() : undefined;
    return boundary !== undefined && 'code' in boundary ? boundary : undefined;
  }

  /**
   * Returns the boundary in which processes of scripts and native code must run, or the reason why there is none. Returns undefined if they
   * need none.
   */
  scriptBoundary(): UsableBoundary | PolicyViolation | undefined {
    const { scripts, boundary } = this.policy;
    if (scripts === 'all') return undefined;
    if (boundary !== undefined && boundary.kind !== 'none') return boundary;
    const missing = missingBoundary(boundary);
    const reason = `the policy allows Python, native libraries and programs only inside a boundary of the operating system, which this machine does not have: ${missing}`;
    return { code: 'HR_POLICY_NO_BOUNDARY', reason, hint: BOUNDARY_HINT };
  }

  #refusedName(entry: PolicedComponent, builtIn: boolean): string | undefined {
    const { components } = this.policy;
    const names = [entry.name, ...entry.aliases];
    if (names.some((name) => components.deny.includes(name)))
      return `components.deny of the policy contains ${entry.name}`;
    const allowed = ['*', ...(builtIn ? ['built-in'] : []), ...names];
    if (allowed.some((name) => components.allow.includes(name))) return undefined;
    return `components.allow of the policy does not contain ${entry.name}`;
  }

  #refusedScripts(entry: PolicedComponent, builtIn: boolean): string | undefined {
    const { scripts } = this.policy;
    if (entry.scripts === undefined || scripts === 'all') return undefined;
    if (scripts === 'none') return 'the policy allows no scripts';
    // Custom components start their processes themselves, so these processes are outside the boundary.
    const held = entry.scripts === 'sandbox' || (entry.scripts === 'boundary' && builtIn);
    return held ? undefined : 'the policy only allows scripts in a sandbox';
  }

  /** Returns the maximum of a parameter, or undefined if it has no limit. */
  most({ limit, scale }: Cap): number | undefined {
    const most = this.policy.limits[limit];
    return most === undefined ? undefined : most * scale;
  }

  /** Returns the reason why a parameter may not have this value, or undefined if the value is allowed. */
  refusedNumber(cap: Cap, name: string, value: number): string | undefined {
    const most = this.most(cap);
    const { unlimitedUpTo = Number.NEGATIVE_INFINITY, limit } = cap;
    if (most === undefined || (value <= most && value > unlimitedUpTo)) return undefined;
    return `set ${name} to ${value}: at most ${most} is allowed (limits.${limit} of the policy)`;
  }

  /**
   * Returns what the policy refuses in a parameter of this kind, and why: `connect to 10.0.0.1: …`. Returns undefined
   * if everything is allowed, or if only a run can decide. The result never contains a text that may include a
   * password.
   */
  refusedParameter(kind: AccessKind, text: string): string | undefined {
    for (const place of placesIn(kind, text)) {
      const refused =
        'path' in place
          ? this.files.refusedText(place.path, place.access)
          : this.hosts.refusedHost(place.host, place.port);
      if (refused === undefined) continue;
      if (kind === 'read' || kind === 'write') return `${kind} ${withoutLogin(text)}: ${refused}`;
      return `connect to ${'path' in place ? place.path : place.host}: ${refused}`;
    }
    if (kind !== 'query' || !isInProcess(text) || this.policy.scripts === 'all') return undefined;
    return 'query SQLite: a query runs inside the service and cannot be interrupted, so it needs `scripts: all`';
  }
}

/** Removes the login from the URLs in a text, for a message. */
function withoutLogin(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/, '//…@').replace(/[?;].*$/s, '');
}

const compiled = new WeakMap<Policy, PolicyRules>();

/** Returns the compiled rules of a policy. They are cached. */
export function rulesOf(policy: Policy): PolicyRules {
  let rules = compiled.get(policy);
  if (rules === undefined) {
    rules = new PolicyRules(policy);
    compiled.set(policy, rules);
  }
  return rules;
}
