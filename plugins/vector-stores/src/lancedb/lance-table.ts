/**
 * A table of LanceDB, in a helper process. The library ends the whole process if its thread is terminated while it works.
 *
 * @module
 */
import type { Reply } from 'headrace/delivery';
import type { Family } from 'headrace/engine';
import { type LanceSettings, LanceTarget } from './lance-target.ts';

let target: LanceTarget | undefined;

/** Opens or creates the table, once. */
export async function open(settings: LanceSettings): Promise<void> {
  target = await LanceTarget.open(settings);
}

export function upload(objects: readonly Uint8Array[]): Promise<Reply> {
  return opened().upload(objects);
}

export function remove(ids: readonly string[]): Promise<Reply> {
  return opened().remove(ids);
}

export function removeChildren(families: readonly Family[], field: string): Promise<Reply> {
  return opened().removeChildren(families, field);
}

export function close(): Promise<void> {
  return opened().close();
}

function opened(): LanceTarget {
  if (target === undefined) throw new Error('The table is not open');
  return target;
}
