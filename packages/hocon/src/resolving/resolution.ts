import type { Session } from '../parsing/session.ts';
import type { ObjectNode } from '../tree/node.ts';
import type { Marks, MergeNode, Raw, Settled } from '../tree/raw.ts';
import { Budget } from './budget.ts';
import { ResolveProblems } from './resolve-problems.ts';

/** The cost of one task in steps. Copying one entry takes one step. */
export const TASK_STEPS = 8;

/** The result of resolving. Undefined if an optional substitution found nothing. */
export type Resolved = Raw | undefined;

/** The state while a tree is being resolved. */
export class Resolution {
  readonly root: ObjectNode;
  readonly marks: Marks;
  readonly problems: ResolveProblems;
  readonly budget: Budget;
  /** True if the last result contains a merge that was only partly visible. Such a result must not be cached. */
  tainted = false;
  readonly #containers = new Map<Raw, Settled>();

  constructor(root: ObjectNode, session: Session) {
    this.root = root;
    this.marks = session.marks;
    this.problems = new ResolveProblems(session.problems);
    this.budget = new Budget(session, this.problems);
  }

  /** Returns the result for an unresolved node that has been resolved before. */
  known(node: Raw): Settled | undefined {
    switch (node.kind) {
      case 'reference':
      case 'concatenation':
      case 'merge':
        return node.settled;
      case 'broken':
        return { value: node };
      default:
        return this.#containers.get(node);
    }
  }

  /** Stores the result for an object or list. */
  keep(node: Raw, value: Raw, tainted: boolean): void {
    this.tainted = tainted;
    if (!tainted) this.#containers.set(node, { value });
  }
}

/**
 * Returns the visible part of a node. While a layer of a merge is being resolved, only the layers below it are visible.
 */
export function shownOf(node: Raw): Resolved {
  let shown: Resolved = node;
  while (shown?.kind === 'merge' && shown.shown !== undefined) shown = shown.shown.value;
  return shown;
}

/** Returns the lowest layers of a merge. */
export function lowerLayers(node: MergeNode, height: number): Resolved {
  const { stack, origin, head = node } = node;
  return height < 2 ? stack.slice(0, height)[0] : { kind: 'merge', stack, height, head, origin };
}
