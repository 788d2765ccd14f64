import type { Node } from './syntax.ts';

/** The number of code points that a node can match. `max` may be infinite. */
export interface Length {
  readonly min: number;
  readonly max: number;
}

const EMPTY: Length = { min: 0, max: 0 };

export function lengthOf(node: Node): Length {
  switch (node.type) {
    case 'empty':
    case 'look':
    case 'assertion':
      return EMPTY;
    case 'set':
      return { min: 1, max: 1 };
    case 'sequence':
      return node.items
        .map(lengthOf)
        .reduce((sum, item) => ({ min: sum.min + item.min, max: sum.max + item.max }), EMPTY);
    case 'alternation': {
      return node.options
        .map(lengthOf)
        .reduce((a, b) => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }));
    }
    case 'group':
    case 'atomic':
      return lengthOf(node.body);
    case 'forward':
      return { min: node.length, max: node.length };
    case 'grapheme':
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case 'reference':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case 'repeat': {
      const body = lengthOf(node.body);
      // Zero times infinity is NaN.
      return { min: body.min * node.min, max: body.max === 0 || node.max === 0 ? 0 : body.max * node.max };
    }
  }
}

/**
 * Returns whether a node with a possible empty match uses it only as its last alternative. A repetition of such a node
 * has the same result in both languages. Otherwise Java stops repeating at the empty match, while JavaScript continues
 * with the next alternative.
 */
export function isEmptyLast(node: Node): boolean {
  if (lengthOf(node).min > 0) return true;
  switch (node.type) {
    case 'sequence':
      return node.items.every(isEmptyLast);
    case 'alternation': {
      const last = node.options.length - 1;
      return node.options.every((option, at) => (at === last ? isEmptyLast(option) : lengthOf(option).min > 0));
    }
    case 'group':
      return isEmptyLast(node.body);
    case 'repeat':
      return (node.mode !== 'lazy' || lengthOf(node).max === 0) && isEmptyLast(node.body);
    default:
      return true;
  }
}
