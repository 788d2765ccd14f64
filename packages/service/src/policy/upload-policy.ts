import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBoundary } from '@headrace/components';
import { nearest, type Policy, type Registry } from '@headrace/engine';
import type { ServiceSettings } from '../settings/service-settings.ts';

/**
 * Returns the policy for uploaded configs: the policy of the service file, plus a ban on all files of the service. Its
 * store, keys and audit log are private, and a user who could write presets or modules would become trusted.
 * @param uploads the directory of uploaded files, which every config may read
 */
export function uploadPolicy(settings: ServiceSettings, uploads: string): Policy {
  const { policy, file, storage, presets, audit, listeners, components, base } = settings;
  const own = [
    ...(file === undefined ? [] : [file]),
    ...(storage.type === 'sqlite' ? [storage.path] : []),
    ...(presets === undefined ? [] : [presets]),
    ...(audit?.path === undefined ? [] : [audit.path]),
    ...listeners.flatMap(({ tls }) => (tls === undefined ? [] : 'keyStore' in tls ? [tls.keyStore] : [tls.key])),
    ...components
      .filter((specifier) => /^(\.{0,2}\/|file:)/.test(specifier))
      .map((specifier) => fileURLToPath(new URL(specifier, base))),
  ];
  return { ...policy, never: [...policy.never, ...own.map((path) => resolve(path))], uploads };
}

/** Adds the boundary that this machine has, if the policy needs one for scripts and native code. */
export async function withBoundary(policy: Policy): Promise<Policy> {
  return policy.scripts === 'all' ? policy : { ...policy, boundary: await findBoundary(policy.never) };
}

/** A name in the component lists of a policy that does not match any component. */
export interface UnknownComponent {
  readonly key: 'allow' | 'deny';
  /** The index in the list, from 0. */
  readonly position: number;
  readonly message: string;
  readonly hint: string;
}

/** Returns the unknown component names in a policy. A misspelt name would silently deny nothing. */
export function unknownComponents({ components }: Policy, registry: Registry): UnknownComponent[] {
  const known = (['connector', 'stage', 'indexer'] as const).flatMap((kind) => registry.list(kind));
  const names = new Set(known.flatMap(({ name, aliases }) => [name, ...aliases]));
  const unknown: UnknownComponent[] = [];
  for (const key of ['allow', 'deny'] as const) {
    for (const [position, name] of components[key].entries()) {
      if (names.has(name) || (key === 'allow' && (name === '*' || name === 'built-in'))) continue;
      const best = nearest(name, [...names]);
      const hint = best === undefined ? '`headrace components` lists them.' : `Did you mean ${best}?`;
      unknown.push({
        key,
        position,
        message: `policy.components.${key} names ${name}, which is not a component`,
        hint,
      });
    }
  }
  return unknown;
}

/** Throws an error that lists all unknown components in the policy. */
export function checkPolicyNames(policy: Policy, registry: Registry): void {
  const unknown = unknownComponents(policy, registry);
  if (unknown.length > 0) throw new Error(unknown.map(({ message, hint }) => `${message}. ${hint}`).join('\n'));
}
