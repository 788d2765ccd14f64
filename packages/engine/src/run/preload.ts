import { readCatalog } from '../component/catalog-file.ts';
import { enforcePolicyOf } from '../policy/current-policy.ts';
import type { ThreadData } from './thread-messages.ts';

/**
 * Makes a thread that waits for work ready for what it will probably be: loads modules, reads the catalogs, puts the
 * guard of the network in place. What fails here fails again, and is told of, when it is needed.
 */
export function preload({ preload: { modules, registry } }: ThreadData): void {
  for (const module of modules) import(module).catch(() => undefined);
  if (registry === undefined) return;
  enforcePolicyOf({ registry });
  registry.catalogs.forEach(readCatalog);
}
