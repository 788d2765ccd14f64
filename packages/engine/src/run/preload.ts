import type { ThreadData } from './thread-messages.ts';

/** Loads modules that will probably be needed. One that cannot be loaded is told of when it is needed. */
export function preload({ preload }: ThreadData): void {
  for (const module of preload) import(module).catch(() => undefined);
}
