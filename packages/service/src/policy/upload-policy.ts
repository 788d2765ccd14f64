import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearest, type Policy, type Registry } from '@headrace/engine';
import type { ServiceSettings } from '../service-file/service-settings.ts';

/**
 * The policy for uploaded configs: that of the service file, and besides that never a file of the service itself. Its
 * store, its keys and its records are nobody's business, and who could write its presets or modules would be trusted.
 */
export function uploadPolicy(settings: ServiceSettings): Policy {
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
  return { ...policy, never: [...policy.never, ...own.map((path) => resolve(path))] };
}

/** Throws when the policy names a component that there is not: who denies a misspelt one denies nothing. */
export function checkPolicyNames({ components }: Policy, registry: Registry): void {
  const known = (['connector', 'stage', 'indexer'] as const).flatMap((kind) => registry.list(kind));
  const names = new Set(known.flatMap(({ name, aliases }) => [name, ...aliases]));
  for (const key of ['allow', 'deny'] as const) {
    for (const name of components[key]) {
      if (names.has(name) || (key === 'allow' && (name === '*' || name === 'built-in'))) continue;
      const best = nearest(name, [...names]);
      const hint = best === undefined ? '`headrace components` lists them' : `Did you mean ${best}?`;
      throw new Error(`policy.components.${key} names ${name}, which is no component. ${hint}`);
    }
  }
}
