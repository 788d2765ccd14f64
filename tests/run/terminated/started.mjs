import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Resolves when a program has created this file. */
export async function started(file) {
  while (!existsSync(file)) await setTimeout(10);
}
