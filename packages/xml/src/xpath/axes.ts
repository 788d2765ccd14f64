import type { XmlNode } from '../xml-tree.ts';
import type { Axis } from './syntax.ts';

/** Adds the matching nodes of an axis, in the order of the axis: backwards for reverse axes. */
export type AxisWalk = (node: XmlNode, matches: (node: XmlNode) => boolean, found: XmlNode[]) => void;

/** The axes whose order is the reverse of the document order. */
export const REVERSE: ReadonlySet<Axis> = new Set<Axis>([
  'ancestor',
  'ancestor-or-self',
  'preceding',
  'preceding-sibling',
]);

export const WALKS: Readonly<Record<Axis, AxisWalk>> = {
  self(node, matches, found) {
    if (matches(node)) found.push(node);
  },
  child({ nodes, at, end }, matches, found) {
    for (let i = at + 1; i < end; ) {
      const child = nodes[i] as XmlNode;
      if (!isAttached(child) && matches(child)) found.push(child);
      i = child.end;
    }
  },
  parent({ parent }, matches, found) {
    if (parent !== undefined && matches(parent)) found.push(parent);
  },
  attribute({ nodes, at, end }, matches, found) {
    for (let i = at + 1; i < end; i++) {
      const node = nodes[i] as XmlNode;
      if (!isAttached(node)) return;
      if (node.kind === 'attribute' && matches(node)) found.push(node);
    }
  },
  namespace({ nodes, at, end }, matches, found) {
    for (let i = at + 1; i < end; i++) {
      const node = nodes[i] as XmlNode;
      if (node.kind !== 'namespace') return;
      if (matches(node)) found.push(node);
    }
  },
  descendant({ nodes, at, end }, matches, found) {
    addRange(nodes, at + 1, end, matches, found);
  },
  'descendant-or-self'(node, matches, found) {
    if (matches(node)) found.push(node);
    addRange(node.nodes, node.at + 1, node.end, matches, found);
  },
  ancestor({ parent }, matches, found) {
    for (let node = parent; node !== undefined; node = node.parent) if (matches(node)) found.push(node);
  },
  'ancestor-or-self'(node, matches, found) {
    for (let at: XmlNode | undefined = node; at !== undefined; at = at.parent) if (matches(at)) found.push(at);
  },
  following({ nodes, end }, matches, found) {
    addRange(nodes, end, nodes.length, matches, found);
  },
  preceding({ nodes, at }, matches, found) {
    for (let i = at - 1; i >= 0; i--) {
      const node = nodes[i] as XmlNode;
      // Excludes ancestors: their range ends after this node.
      if (node.end <= at && !isAttached(node) && matches(node)) found.push(node);
    }
  },
  'following-sibling'(node, matches, found) {
    const { nodes, parent } = node;
    if (parent === undefined || isAttached(node)) return;
    for (let i = node.end; i < parent.end; ) {
      const sibling = nodes[i] as XmlNode;
      if (matches(sibling)) found.push(sibling);
      i = sibling.end;
    }
  },
  'preceding-sibling'(node, matches, found) {
    const { nodes, parent, at } = node;
    if (parent === undefined || isAttached(node)) return;
    const siblings: XmlNode[] = [];
    for (let i = parent.at + 1; i < at; ) {
      const sibling = nodes[i] as XmlNode;
      if (!isAttached(sibling) && matches(sibling)) siblings.push(sibling);
      i = sibling.end;
    }
    for (let i = siblings.length - 1; i >= 0; i--) found.push(siblings[i] as XmlNode);
  },
};

function addRange(
  nodes: readonly XmlNode[],
  from: number,
  to: number,
  matches: (node: XmlNode) => boolean,
  found: XmlNode[],
): void {
  for (let i = from; i < to; i++) {
    const node = nodes[i] as XmlNode;
    if (!isAttached(node) && matches(node)) found.push(node);
  }
}

/** Returns whether the node is not part of its element's content. */
function isAttached({ kind }: XmlNode): boolean {
  return kind === 'attribute' || kind === 'namespace';
}
