import type { InPlaceJoiner } from '../merging/draft.ts';
import { Draft } from '../merging/draft.ts';
import type { ListNode, ObjectNode, Origin } from '../tree/node.ts';

/** The state of reading a field or element of an object or list. */
export const Step = { start: 0, value: 1, after: 2 } as const;

/** An object or list that is being read. */
export class Frame {
  node: ObjectNode | ListNode;
  step: 0 | 1 | 2 = Step.start;
  /** The value of the current field or element. */
  readonly draft: Draft;
  braces = true;
  /** How deep its fields or elements are in the tree. */
  level = 1;
  afterComma = false;
  /** A list with fields in it. The problem is already reported. */
  hasFields = false;
  /** Of the current field: its path, the position of its key, and how the key leads to the value. */
  path: string[] = [];
  keyOrigin: Origin;
  keyStart = 0;
  /** By `+=`. */
  appends = false;
  /** By an opening brace alone. */
  bare = false;

  constructor(node: ObjectNode | ListNode, joiner: InPlaceJoiner) {
    this.node = node;
    this.keyOrigin = node.origin;
    this.draft = new Draft(joiner);
  }
}

/** The objects and lists around the current position, outermost first. Frames are reused. */
export class FrameStack {
  readonly #frames: Frame[] = [];
  readonly #joiner: InPlaceJoiner;
  /** How many are open. */
  depth = 0;
  /** Lists and values of `+=` around the current position. */
  listDepth = 0;
  readonly #base: number;

  /** @param base how deep the text itself is included */
  constructor(joiner: InPlaceJoiner, base: number) {
    this.#joiner = joiner;
    this.#base = base;
  }

  get top(): Frame | undefined {
    return this.depth > 0 ? this.#frames[this.depth - 1] : undefined;
  }

  push(node: ObjectNode | ListNode, braces: boolean): void {
    if (node.kind === 'list') this.listDepth++;
    const outer = this.top;
    const level = outer === undefined ? this.#base + 1 : innerLevel(outer);
    const frame = this.#frames[this.depth] ?? new Frame(node, this.#joiner);
    this.#frames[this.depth++] = frame;
    frame.node = node;
    frame.step = Step.start;
    frame.draft.clear();
    frame.braces = braces;
    frame.level = level;
    frame.afterComma = false;
    frame.hasFields = false;
    frame.path = [];
    frame.appends = false;
    frame.bare = false;
  }

  pop(): void {
    this.depth--;
    if (this.#frames[this.depth]!.node.kind === 'list') this.listDepth--;
  }

  clear(): void {
    this.depth = 0;
    this.listDepth = 0;
  }

  /** Whether a list, or an object with braces, is open. */
  isOpen(kind: 'list' | 'object'): boolean {
    for (let i = 0; i < this.depth; i++) {
      const frame = this.#frames[i]!;
      if (frame.node.kind === kind && frame.braces) return true;
    }
    return false;
  }

  /** Whether the innermost object is the whole text, or follows keys without separators: nothing is joined with it. */
  get isBare(): boolean {
    for (let i = 0; i < this.depth - 1; i++) if (!this.#frames[i]!.bare) return false;
    return true;
  }

  /** The path of the innermost object. Lists do not count. */
  path(): string[] {
    const path: string[] = [];
    for (let i = 0; i < this.depth - 1; i++) {
      const frame = this.#frames[i]!;
      if (frame.node.kind === 'object') for (const key of frame.path) path.push(key);
    }
    return path;
  }
}

/** How deep the fields or elements of a value of this frame are. */
export function innerLevel(frame: Frame): number {
  return frame.level + (frame.node.kind === 'object' ? frame.path.length : 1);
}
