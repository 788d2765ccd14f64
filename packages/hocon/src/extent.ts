import type { Raw } from './raw.ts';
import { rawEntries, rawItems } from './raw.ts';

/** How large a value is when written out: values plus characters of strings, and levels of nesting. */
export interface Extent {
  size: number;
  depth: number;
}

/** Measures values, each shared one once, so that a small text that grows exponentially is noticed before it has grown. */
export class Extents {
  readonly #known = new Map<Raw, Extent>();

  of(node: Raw): Extent {
    const simple = ofSimple(node) ?? this.#known.get(node);
    if (simple !== undefined) return simple;
    const work: Raw[] = [node];
    while (work.length > 0) {
      const top = work.at(-1)!;
      const before = work.length;
      let size = 1;
      let depth = 0;
      for (const child of childrenOf(top)) {
        const extent = ofSimple(child) ?? this.#known.get(child);
        if (extent === undefined) work.push(child);
        else {
          size += extent.size;
          if (extent.depth > depth) depth = extent.depth;
        }
      }
      if (work.length > before) continue;
      work.pop();
      this.#known.set(top, { size, depth: depth + 1 });
    }
    return this.#known.get(node)!;
  }
}

const single: Extent = { size: 1, depth: 0 };

function ofSimple(node: Raw): Extent | undefined {
  if (node.kind === 'object' || node.kind === 'list') return undefined;
  return node.kind === 'string' ? { size: 1 + node.value.length, depth: 0 } : single;
}

function childrenOf(node: Raw): Iterable<Raw> {
  if (node.kind === 'object') return rawEntries(node).values();
  return node.kind === 'list' ? rawItems(node) : [];
}
