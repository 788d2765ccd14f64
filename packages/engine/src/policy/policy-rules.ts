import { FileRules } from './file-rules.ts';
import { HostRules } from './host-rules.ts';
import { type AccessKind, isInProcess, placesIn } from './places.ts';
import { missingBoundary, type Policy, type UsableBoundary } from './policy.ts';
import type { Cap } from './policy-limits.ts';

/** The hint for refusals that apply to all uploads: who can change the policy, and how. */
export const POLICY_HINT = 'The operator of the service can allow it: `policy` in the service file.';

/** What to do about a machine without a boundary for scripts. */
export const BOUNDARY_HINT =
  'The operator of the service can install bubblewrap, or let the user of the service make user namespaces (docs/security.md), ' +
  'and start it again; or, if all users who upload are trusted, set `policy.scripts: all` in the service file.';

/** Why something is not allowed, in the words of the error. */
export interface PolicyViolation {
  readonly code: 'HR_POLICY_REFUSED' | 'HR_POLICY_NO_BOUNDARY';
  readonly reason: string;
  readonly hint: string;
}

/** The facts about a component that a policy decides by: a part of its entry in the catalog. */
export interface PolicedComponent {
  readonly name: string;
  readonly aliases: readonly string[];
  /** As in `CatalogEntry`. */
  readonly scripts?: 'sandbox' | 'boundary' | 'process';
}

/** A policy, compiled for checks. */
export class PolicyRules {
  readonly policy: Policy;
  readonly files: FileRules;
  readonly hosts: HostRules;

  constructor(policy: Policy) {
    this.policy = policy;
    this.files = new FileRules(policy);
    this.hosts = new HostRules(policy);
  }

  /** Why a component may not be used; undefined if it may. */
  refusedComponent(entry: PolicedComponent, builtIn: boolean): PolicyViolation | undefined {
    const refused = this.#refusedName(entry, builtIn) ?? this.#refusedScripts(entry, builtIn);
    if (refused !== undefined) return { code: 'HR_POLICY_REFUSED', reason: refused, hint: POLICY_HINT };
    const boundary = entry.scripts === 'boundary' ? this.scriptBoundary() : undefined;
    return boundary !== undefined && 'code' in boundary ? boundary : undefined;
  }

  /** The boundary that script processes must run in, or the reason why there is none; undefined if they need none. */
  scriptBoundary(): UsableBoundary | PolicyViolation | undefined {
    const { scripts, boundary } = this.policy;
    if (scripts === 'all') return undefined;
    if (boundary !== undefined && boundary.kind !== 'none') return boundary;
    const missing = missingBoundary(boundary);
    const reason = `the policy allows Python only inside a boundary of the operating system, which this machine does not offer: ${missing}`;
    return { code: 'HR_POLICY_NO_BOUNDARY', reason, hint: BOUNDARY_HINT };
  }

  #refusedName(entry: PolicedComponent, builtIn: boolean): string | undefined {
    const { components } = this.policy;
    const names = [entry.name, ...entry.aliases];
    if (names.some((name) => components.deny.includes(name))) return `components.deny of the policy has ${entry.name}`;
    const allowed = ['*', ...(builtIn ? ['built-in'] : []), ...names];
    if (allowed.some((name) => components.allow.includes(name))) return undefined;
    return `components.allow of the policy does not have ${entry.name}`;
  }

  #refusedScripts(entry: PolicedComponent, builtIn: boolean): string | undefined {
    const { scripts } = this.policy;
    if (entry.scripts === undefined || scripts === 'all') return undefined;
    if (scripts === 'none') return 'the policy allows no scripts';
    // Custom components start their processes themselves, outside the boundary.
    const held = entry.scripts === 'sandbox' || (entry.scripts === 'boundary' && builtIn);
    return held ? undefined : 'the policy allows scripts in a sandbox only';
  }

  /** The highest value of a parameter; undefined if it has no limit. */
  most({ limit, scale }: Cap): number | undefined {
    const most = this.policy.limits[limit];
    return most === undefined ? undefined : most * scale;
  }

  /** Why a parameter may not have this value; undefined if it may. */
  refusedNumber(cap: Cap, name: string, value: number): string | undefined {
    const most = this.most(cap);
    const { unlimitedUpTo = Number.NEGATIVE_INFINITY, limit } = cap;
    if (most === undefined || (value <= most && value > unlimitedUpTo)) return undefined;
    return `set ${name} to ${value}: at most ${most} is allowed (limits.${limit} of the policy)`;
  }

  /**
   * What the policy refuses in a parameter of this kind, and why: `connect to 10.0.0.1: …`; undefined if all is
   * allowed, or only a run can decide. The message does not repeat a text that may contain a password.
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
    return 'query SQLite: it computes in the service, and cannot be interrupted, so that it needs `scripts: all`';
  }
}

/** A text for a message, with passwords in URLs removed. */
function withoutLogin(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/, '//…@').replace(/[?;].*$/s, '');
}

const compiled = new WeakMap<Policy, PolicyRules>();

/** The compiled rules of a policy. */
export function rulesOf(policy: Policy): PolicyRules {
  let rules = compiled.get(policy);
  if (rules === undefined) {
    rules = new PolicyRules(policy);
    compiled.set(policy, rules);
  }
  return rules;
}
