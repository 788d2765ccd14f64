import { readCatalog } from '../component/catalog-file.ts';
import { enforcePolicyOf } from '../policy/current-policy.ts';
import type { ThreadData } from './thread-messages.ts';

/**
 * Prepares an idle thread for its probable work: loads modules, reads the catalogs, installs the network guard. Errors
 * are ignored here: a failing step fails again when it is needed, and is reported then.
 */
export function preload({ preload: { modules, registry } }: ThreadData): void {
  for (const module of modules) import(module).catch(() => undefined);
  if (registry === undefined) return;
  enforcePolicyOf({ registry });
  registry.catalogs.forEach(readCatalog);
}
