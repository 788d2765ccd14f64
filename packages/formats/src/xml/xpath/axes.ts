import { ATTRIBUTE, NAMESPACE, type XmlNode, type XmlTree } from '../xml-tree.ts';
import type { Axis } from './syntax.ts';

/** Returns whether a step selects the node at a position. */
export type NodeMatch = (tree: XmlTree, at: number) => boolean;

/** Adds the matching nodes of an axis, in the order of the axis: backwards for reverse axes. */
export type AxisWalk = (node: XmlNode, matches: NodeMatch, found: XmlNode[]) => void;

/** The axes whose order is the reverse of the document order. */
export const REVERSE: ReadonlySet<Axis> = new Set<Axis>([
  'ancestor',
  'ancestor-or-self',
  'preceding',
  'preceding-sibling',
]);

export const WALKS: Readonly<Record<Axis, AxisWalk>> = {
  self(node, matches, found) {
    if (matches(node.tree, node.at)) found.push(node);
  },
  child({ tree, at, end }, matches, found) {
    addSiblings(tree, at + 1, end, matches, found);
  },
  parent({ tree, at }, matches, found) {
    const parent = tree.parentAt(at);
    if (parent >= 0 && matches(tree, parent)) found.push(tree.node(parent));
  },
  attribute({ tree, at, end }, matches, found) {
    for (let i = at + 1; i < end && isAttached(tree, i); i++) {
      if (tree.kindAt(i) === ATTRIBUTE && matches(tree, i)) found.push(tree.node(i));
    }
  },
  namespace({ tree, at, end }, matches, found) {
    for (let i = at + 1; i < end && tree.kindAt(i) === NAMESPACE; i++) {
      if (matches(tree, i)) found.push(tree.node(i));
    }
  },
  descendant({ tree, at, end }, matches, found) {
    addRange(tree, at + 1, end, matches, found);
  },
  'descendant-or-self'(node, matches, found) {
    const { tree, at, end } = node;
    if (matches(tree, at)) found.push(node);
    addRange(tree, at + 1, end, matches, found);
  },
  ancestor({ tree, at }, matches, found) {
    addAncestors(tree, tree.parentAt(at), matches, found);
  },
  'ancestor-or-self'({ tree, at }, matches, found) {
    addAncestors(tree, at, matches, found);
  },
  following({ tree, end }, matches, found) {
    addRange(tree, end, tree.count, matches, found);
  },
  preceding({ tree, at }, matches, found) {
    for (let i = at - 1; i >= 0; i--) {
      // Excludes ancestors: their range ends after this node.
      if (tree.endAt(i) <= at && !isAttached(tree, i) && matches(tree, i)) found.push(tree.node(i));
    }
  },
  'following-sibling'({ tree, at, end }, matches, found) {
    const parent = tree.parentAt(at);
    if (parent >= 0 && !isAttached(tree, at)) addSiblings(tree, end, tree.endAt(parent), matches, found);
  },
  'preceding-sibling'({ tree, at }, matches, found) {
    const parent = tree.parentAt(at);
    if (parent < 0 || isAttached(tree, at)) return;
    const siblings: XmlNode[] = [];
    addSiblings(tree, parent + 1, at, matches, siblings);
    for (let i = siblings.length - 1; i >= 0; i--) found.push(siblings[i] as XmlNode);
  },
};

function addSiblings(tree: XmlTree, from: number, to: number, matches: NodeMatch, found: XmlNode[]): void {
  for (let i = from; i < to; i = tree.endAt(i)) if (!isAttached(tree, i) && matches(tree, i)) found.push(tree.node(i));
}

function addRange(tree: XmlTree, from: number, to: number, matches: NodeMatch, found: XmlNode[]): void {
  for (let i = from; i < to; i++) if (!isAttached(tree, i) && matches(tree, i)) found.push(tree.node(i));
}

function addAncestors(tree: XmlTree, from: number, matches: NodeMatch, found: XmlNode[]): void {
  for (let i = from; i >= 0; i = tree.parentAt(i)) if (matches(tree, i)) found.push(tree.node(i));
}

/** Returns whether the node is not part of its element's content. */
function isAttached(tree: XmlTree, at: number): boolean {
  const kind = tree.kindAt(at);
  return kind === ATTRIBUTE || kind === NAMESPACE;
}
