import type { CatalogEntry } from '../component/catalog.ts';
import type { AccessKind } from '../component/schema.ts';
import { FileRules } from './file-rules.ts';
import { HostRules } from './host-rules.ts';
import { isInProcess, placesIn } from './places.ts';
import type { Policy } from './policy.ts';
import type { Cap } from './policy-limits.ts';

/** Refusals that are about everybody who uploads: who may change that, and how. */
export const POLICY_HINT = 'Who runs the service can allow it: `policy` in the service file.';

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
  refusedComponent(entry: CatalogEntry, builtIn: boolean): string | undefined {
    const { components, scripts } = this.policy;
    const names = [entry.name, ...entry.aliases];
    if (names.some((name) => components.deny.includes(name))) return `components.deny of the policy has ${entry.name}`;
    const allowed = ['*', ...(builtIn ? ['built-in'] : []), ...names];
    if (!allowed.some((name) => components.allow.includes(name))) {
      return `components.allow of the policy does not have ${entry.name}`;
    }
    if (entry.scripts === undefined || scripts === 'all') return undefined;
    if (scripts === 'none') return 'the policy allows no scripts';
    return entry.scripts === 'process' ? 'the policy allows scripts in a sandbox only' : undefined;
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
