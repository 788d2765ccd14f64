import type { ScriptBoundary } from '@headrace/engine';
import { findBoundary as find } from '@headrace/sandbox/boundary';

export { catalogUrl, installedCatalogs } from './catalog.ts';

/** The boundary of the operating system that this machine has for scripts of uploads. */
export const findBoundary: (hidden: readonly string[], path?: string) => Promise<ScriptBoundary> = find;
