import { JavaRegexError } from './java-regex-error.ts';
import { lengthOf } from './lengths.ts';
import type { GroupNode, Node, ReferenceNode, Syntax } from './syntax.ts';

/** Says whether the group of a back-reference has matched when the reference is reached. */
export type Reach = 'always' | 'never' | 'maybe';

/**
 * The state of each group at one position of the pattern. `stale` means that Java may keep the match of an earlier
 * iteration, which JavaScript drops. A group without an entry has not matched.
 */
type State = ReadonlyMap<number, 'set' | 'maybe' | 'stale'>;

/**
 * Determines for each back-reference whether its group has matched by then. If it has not, the reference fails in Java,
 * but matches the empty text in JavaScript.
 * @throws JavaRegexError for a reference that may mean the match of an earlier iteration
 */
export function reachOfReferences(syntax: Syntax, pattern: string): ReadonlyMap<ReferenceNode, Reach> {
  const reaches = new Map<ReferenceNode, Reach>();
  const open = new Set<number>();
  /** Only groups with back-references are tracked, because a pattern may have thousands of groups. */
  const referenced = referencesOf(syntax.root);

  /**
   * Visits a node that is reached in a state and returns the state after it. `looping`: groups that an earlier
   * iteration may have set.
   */
  function visit(node: Node, state: State, looping: ReadonlySet<number>): State {
    switch (node.type) {
      case 'sequence':
        return node.items.reduce((current, item) => visit(item, current, looping), state);
      case 'alternation':
        return node.options.map((option) => visit(option, state, looping)).reduce(join);
      case 'atomic':
        return visit(node.body, state, looping);
      case 'look': {
        const after = visit(node.body, state, looping);
        return node.negative ? state : after;
      }
      case 'group': {
        if (!referenced.has(node.index)) return visit(node.body, state, looping);
        open.add(node.index);
        const after = new Map(visit(node.body, state, looping));
        open.delete(node.index);
        return after.set(node.index, 'set');
      }
      case 'repeat': {
        if (node.max === 0) return state;
        const inside = node.max > 1 ? groupsOf(node.body).intersection(referenced) : new Set<number>();
        const after = new Map(visit(node.body, state, new Set([...looping, ...inside])));
        const keepsLast = lengthOf(node.body).min > 0;
        for (const index of inside) if (after.get(index) !== 'set' || !keepsLast) after.set(index, 'stale');
        return node.min > 0 ? after : join(state, after);
      }
      case 'reference': {
        const known = open.has(node.index) ? undefined : state.get(node.index);
        if (known === 'stale' || (known !== 'set' && looping.has(node.index))) {
          throw new JavaRegexError(
            'a back-reference to what a group matched in an earlier round of a repetition is not supported',
            pattern,
            node.position,
          );
        }
        reaches.set(node, known === 'set' ? 'always' : known === 'maybe' ? 'maybe' : 'never');
        return state;
      }
      default:
        return state;
    }
  }

  if (referenced.size > 0) visit(syntax.root, new Map(), new Set());
  return reaches;
}

function join(left: State, right: State): State {
  const joined = new Map<number, 'set' | 'maybe' | 'stale'>();
  for (const index of new Set([...left.keys(), ...right.keys()])) {
    const [a, b] = [left.get(index), right.get(index)];
    joined.set(index, a === 'stale' || b === 'stale' ? 'stale' : a === 'set' && b === 'set' ? 'set' : 'maybe');
  }
  return joined;
}

/** Returns the numbers of the capturing groups in a node. */
function groupsOf(node: Node): Set<number> {
  return numbersOf(node, 'group');
}

/** Returns the numbers of the groups that back-references in a node refer to. */
function referencesOf(node: Node): Set<number> {
  return numbersOf(node, 'reference');
}

function numbersOf(node: Node, type: 'group' | 'reference'): Set<number> {
  const found = new Set<number>();
  const collect = (inner: Node): void => {
    if (inner.type === type) found.add((inner as GroupNode | ReferenceNode).index);
    for (const child of childrenOf(inner)) collect(child);
  };
  collect(node);
  return found;
}

export function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'sequence':
      return node.items;
    case 'alternation':
      return node.options;
    case 'group':
    case 'atomic':
    case 'look':
    case 'repeat':
    case 'forward':
      return [node.body];
    default:
      return [];
  }
}
