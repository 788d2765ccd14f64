import { createRequire } from 'node:module';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import { findPluginClass, missingPlugin } from './plugin-classes.ts';

const require = createRequire(import.meta.url);

/**
 * Loads what a plugin exports for a class that is part of a component, by its short name or its Java name. It is
 * synchronous, as the check of a component is. Plugins load their libraries when they start. Returns the problem if the
 * plugin is not installed, and undefined if no plugin has this class.
 *
 * Throws `HR_CONFIG_COMPONENT_LOAD` if the plugin cannot be loaded.
 */
export function loadPluginExport(
  kind: 'file handler',
  className: string,
): { readonly exported: unknown } | { readonly message: string; readonly hint: string } | undefined {
  const found = findPluginClass(kind, className);
  if (found === undefined || !isInstalled(found.npm)) return missingPlugin(kind, className);
  try {
    const exports = require(found.npm) as Readonly<Record<string, unknown>>;
    return { exported: exports[found.name] };
  } catch (error) {
    throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `${found.npm} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
