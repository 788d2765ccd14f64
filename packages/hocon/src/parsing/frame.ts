import type { InPlaceJoiner } from '../merging/draft.ts';
import { Draft } from '../merging/draft.ts';
import type { ListNode, ObjectNode, Origin } from '../tree/node.ts';

/** The states of reading a field or element of an object or list. */
export const Step = { start: 0, value: 1, after: 2 } as const;

/** An object or list that is being read. */
export class Frame {
  node: ObjectNode | ListNode;
  step: 0 | 1 | 2 = Step.start;
  /** The value of the current field or element. */
  readonly draft: Draft;
  braces = true;
  /** The depth of the fields or elements in the tree. */
  level = 1;
  afterComma = false;
  /** True for a list that contains fields. The problem has already been reported. */
  hasFields = false;
  /** The path of the current field and the position of its key. */
  path: string[] = [];
  keyOrigin: Origin;
  keyStart = 0;
  /** True if the field is defined with `+=`. */
  appends = false;
  /** True if the key is followed by an opening brace without a separator. */
  bare = false;

  constructor(node: ObjectNode | ListNode, joiner: InPlaceJoiner) {
    this.node = node;
    this.keyOrigin = node.origin;
    this.draft = new Draft(joiner);
  }
}

/** The objects and lists around the current position. The outermost is first. Frames are reused. */
export class FrameStack {
  readonly #frames: Frame[] = [];
  readonly #joiner: InPlaceJoiner;
  /** The number of open frames. */
  depth = 0;
  /** The number of lists and values of `+=` around the current position. */
  listDepth = 0;
  readonly #base: number;

  /** @param base the depth at which the text is included */
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

  /** Returns true if a list, or an object with braces, is open. */
  isOpen(kind: 'list' | 'object'): boolean {
    for (let i = 0; i < this.depth; i++) {
      const frame = this.#frames[i]!;
      if (frame.node.kind === kind && frame.braces) return true;
    }
    return false;
  }

  /**
   * True if the innermost object is the whole text or follows keys without separators. Nothing is joined with such an
   * object.
   */
  get isBare(): boolean {
    for (let i = 0; i < this.depth - 1; i++) if (!this.#frames[i]!.bare) return false;
    return true;
  }

  /** Returns the path of the innermost object. Lists are not part of the path. */
  path(): string[] {
    const path: string[] = [];
    for (let i = 0; i < this.depth - 1; i++) {
      const frame = this.#frames[i]!;
      if (frame.node.kind === 'object') for (const key of frame.path) path.push(key);
    }
    return path;
  }
}

/** Returns the depth of the fields or elements of a value of this frame. */
export function innerLevel(frame: Frame): number {
  return frame.level + (frame.node.kind === 'object' ? frame.path.length : 1);
}
