import type { ListNode, ObjectNode } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';
import { rawEntries, rawItems } from '../tree/raw.ts';

/** The number of characters of a string that count as one value. */
const CHARACTERS = 16;

/** Returns the size of a string of this length, as a number of values. */
export function sizeOfText(length: number): number {
  return 1 + Math.floor(length / CHARACTERS);
}

interface Extent {
  size: number;
  depth: number;
}

/**
 * Computes the depth of values and their size when written out. Long strings count more than one. Shared values are
 * measured once, so exponential growth of a small text is detected before the values are created.
 */
export class Extents {
  readonly #known = new Map<Raw, Extent>();

  sizeOf(node: Raw): number {
    if (node.kind === 'object' || node.kind === 'list') return this.#measure(node).size;
    return node.kind === 'string' ? sizeOfText(node.value.length) : 1;
  }

  depthOf(node: Raw): number {
    return node.kind === 'object' || node.kind === 'list' ? this.#measure(node).depth : 0;
  }

  #measure(node: ObjectNode | ListNode): Extent {
    const work: (ObjectNode | ListNode)[] = [node];
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      if (!this.#known.has(top)) {
        const before = work.length;
        const extent: Extent = { size: 1, depth: 1 };
        for (const child of top.kind === 'object' ? rawEntries(top).values() : rawItems(top)) {
          if (child.kind !== 'object' && child.kind !== 'list') extent.size += this.sizeOf(child);
          else this.#addChild(extent, child, work);
        }
        if (work.length > before) continue;
        this.#known.set(top, extent);
      }
      work.pop();
    }
    return this.#known.get(node)!;
  }

  #addChild(extent: Extent, child: ObjectNode | ListNode, unknown: (ObjectNode | ListNode)[]): void {
    const known = this.#known.get(child);
    if (known === undefined) unknown.push(child);
    else {
      extent.size += known.size;
      extent.depth = Math.max(extent.depth, known.depth + 1);
    }
  }
}
