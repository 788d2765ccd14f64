import { FileRules } from './file-rules.ts';
import { HostRules } from './host-rules.ts';
import { type AccessKind, isInProcess, placesIn } from './places.ts';
import { missingBoundary, type Policy, type UsableBoundary } from './policy.ts';
import type { Cap } from './policy-limits.ts';

/** Refusals that are about everybody who uploads: who may change that, and how. */
export const POLICY_HINT = 'Who runs the service can allow it: `policy` in the service file.';

/** What to do about a machine that has no boundary for scripts. */
export const BOUNDARY_HINT =
  'Who runs the service can install bubblewrap, or let the user of the service make user namespaces (docs/security.md), ' +
  'and start it again; or, if everybody who uploads is trusted, set `policy.scripts: all` in the service file.';

/** Why something is not allowed, as an error says it. */
export interface Refusal {
  readonly code: 'HR_POLICY_REFUSED' | 'HR_POLICY_NO_BOUNDARY';
  readonly reason: string;
  readonly hint: string;
}

/** What a policy decides about a component by: a part of its entry in the catalog. */
export interface PolicedComponent {
  readonly name: string;
  readonly aliases: readonly string[];
  /** As in `CatalogEntry`. */
  readonly scripts?: 'sandbox' | 'boundary' | 'process';
}

/** A policy, ready to be asked. */
export class PolicyRules {
  readonly policy: Policy;
  readonly files: FileRules;
  readonly hosts: HostRules;

  constructor(policy: Policy) {
    this.policy = policy;
    this.files = new FileRules(policy);
    this.hosts = new HostRules(policy);
  }

  /** Why a component may not be used; undefined when it may. */
  refusedComponent(entry: PolicedComponent, builtIn: boolean): Refusal | undefined {
    const refused = this.#refusedName(entry, builtIn) ?? this.#refusedScripts(entry, builtIn);
    if (refused !== undefined) return { code: 'HR_POLICY_REFUSED', reason: refused, hint: POLICY_HINT };
    const boundary = entry.scripts === 'boundary' ? this.scriptBoundary() : undefined;
    return boundary !== undefined && 'code' in boundary ? boundary : undefined;
  }

  /** The boundary that scripts in processes have to run in, or why there is none; undefined when they need none. */
  scriptBoundary(): UsableBoundary | Refusal | undefined {
    const { scripts, boundary } = this.policy;
    if (scripts === 'all') return undefined;
    if (boundary !== undefined && boundary.kind !== 'none') return boundary;
    const missing = missingBoundary(boundary);
    const reason = `the policy allows Python only behind a boundary of the operating system, which this machine does not offer: ${missing}`;
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
    // Custom components start their processes themselves, without the boundary.
    const held = entry.scripts === 'sandbox' || (entry.scripts === 'boundary' && builtIn);
    return held ? undefined : 'the policy allows scripts in a sandbox only';
  }

  /** The most that a parameter may be; undefined: it is not capped. */
  most({ limit, scale }: Cap): number | undefined {
    const most = this.policy.limits[limit];
    return most === undefined ? undefined : most * scale;
  }

  /** Why a parameter may not have this value; undefined when it may. */
  refusedNumber(cap: Cap, name: string, value: number): string | undefined {
    const most = this.most(cap);
    const { unlimitedUpTo = Number.NEGATIVE_INFINITY, limit } = cap;
    if (most === undefined || (value <= most && value > unlimitedUpTo)) return undefined;
    return `set ${name} to ${value}: at most ${most} is allowed (limits.${limit} of the policy)`;
  }

  /**
   * What of a parameter of this kind is not allowed, and why: `connect to 10.0.0.1: …`; undefined when all is, or only a
   * run can tell. The text itself is not repeated where it may hold a password.
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
    return 'query SQLite: it computes in the service, and cannot be interrupted, so that it takes `scripts: all`';
  }
}

/** A text in a message, without what may be a password in a URL. */
function withoutLogin(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/, '//…@').replace(/[?;].*$/s, '');
}

const compiled = new WeakMap<Policy, PolicyRules>();

/** The rules of a policy, made once. */
export function rulesOf(policy: Policy): PolicyRules {
  let rules = compiled.get(policy);
  if (rules === undefined) {
    rules = new PolicyRules(policy);
    compiled.set(policy, rules);
  }
  return rules;
}
