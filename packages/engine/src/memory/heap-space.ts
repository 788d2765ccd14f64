import { getHeapStatistics } from 'node:v8';
import { HeadraceError } from '../errors/headrace-error.ts';
import { collectGarbage } from './collect-garbage.ts';

/** Values up to this size need no check: if they fill the heap, V8 ends only the thread. */
const SMALL_BYTES = 4 * 1024 * 1024;
/** The part of the heap that may be in use with the new value. */
const PART = 0.9;

/**
 * Throws `HR_MEMORY_LIMIT` if the heap of this thread has no space for a large value. Call it before you create one out
 * of smaller ones. V8 ends the whole process, not only the thread, if a single value exceeds the limit of the heap by
 * more than 16 MiB.
 */
export function requireHeap(bytes: number): void {
  if (bytes <= SMALL_BYTES || hasSpace(bytes)) return;
  collectGarbage();
  if (hasSpace(bytes)) return;
  const mebibytes = Math.ceil(bytes / 2 ** 20);
  throw new HeadraceError('HR_MEMORY_LIMIT', `A value needs ${mebibytes} MiB, and the heap of the run has less`, {
    hint: 'Make the value smaller. In a service, limits.runHeapMb sets the heap.',
  });
}

/**
 * Returns a text that was joined from others. V8 joins them only when the text is read, and a large text may then end
 * the process. So they are joined here, after a check. See `requireHeap`.
 */
export function joinedText(text: string): string {
  const bytes = 2 * text.length;
  if (bytes <= SMALL_BYTES) return text;
  requireHeap(bytes);
  // V8 joins the parts to find a character.
  text.charCodeAt(text.length >> 1);
  return text;
}

function hasSpace(bytes: number): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used + bytes <= limit * PART;
}
