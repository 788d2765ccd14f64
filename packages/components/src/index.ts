import type { ScriptBoundary } from '@headrace/engine';
import { findBoundary as find } from '@headrace/sandbox/boundary';

/** The boundary of the operating system that this machine has for scripts of uploads. */
export const findBoundary: (hidden: readonly string[], path?: string) => Promise<ScriptBoundary> = find;

/** Where the catalog of the built-in components is; written by the build. */
export const catalogUrl: string = new URL('./catalog.jsonl', import.meta.url).href;
