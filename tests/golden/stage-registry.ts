import { catalogUrl } from '@headrace/components';
import { Registry } from '@headrace/engine';

/**
 * The built-in components, as the build has left them, and an indexer that takes nothing, because a config
 * without one is wrong.
 */
export function openStageRegistry(): Promise<Registry> {
  return Registry.open({
    catalogs: [catalogUrl],
    modules: ['./no-indexer.ts'],
    base: new URL('./', import.meta.url).href,
    allowModules: false,
  });
}
