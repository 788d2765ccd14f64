import type { ListNode, Origin } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawItems } from '../tree/raw.ts';
import type { Joiner } from './concatenate.ts';
import { join, textOf } from './concatenate.ts';
import { layOver } from './merge.ts';

/** Joins values that are not used in other places, so they are changed in place. */
export class InPlaceJoiner implements Joiner {
  readonly marks: Marks;

  constructor(marks: Marks) {
    this.marks = marks;
  }

  objects(left: Raw, right: Raw): Raw {
    return layOver(right, left, this.marks);
  }

  /** Joins two lists. An object with indexes as keys is converted to a list first. */
  lists(left: Raw, first: Raw[], right: Raw, second: Raw[]): Raw {
    let list: ListNode;
    if (left.kind === 'list') list = left;
    else list = { kind: 'list', items: first as ListNode['items'], origin: left.origin };
    const items = rawItems(list);
    for (const item of second) items.push(item);
    if (this.marks.isUnresolved(left) || this.marks.isUnresolved(right)) this.marks.unresolved.add(list);
    return list;
  }
}

/**
 * The value of one field or list element while its pieces are read. Pieces are joined immediately, from the left.
 * Pieces that wait for substitutions stay separate.
 */
export class Draft {
  readonly #joiner: InPlaceJoiner;
  #apart: Raw[] | undefined;
  #last: Raw | undefined;
  /** True if the last piece was a simple value. White space before another simple value then belongs to the text. */
  lastIsSimple = false;
  /** The position of the first piece that cannot be joined. */
  clash: Origin | undefined;
  /** The start and the end of the value in the text. */
  start = -1;
  end = -1;

  constructor(joiner: InPlaceJoiner) {
    this.#joiner = joiner;
  }

  get empty(): boolean {
    return this.#last === undefined;
  }

  /** Adds a piece. */
  add(piece: Raw): void {
    const last = this.#last;
    if (last === undefined) this.#last = piece;
    else if (last.kind === 'broken') return;
    else if (waits(last) || waits(piece)) {
      this.#apart ??= [];
      this.#apart.push(last);
      this.#last = piece;
    } else {
      const joined = join(last, piece, this.#joiner.marks, this.#joiner);
      if (joined === undefined) this.clash = last.origin;
      this.#last = joined ?? { kind: 'broken', origin: piece.origin };
    }
  }

  /**
   * Adds text to a value that only consists of text so far. Otherwise returns false. This is the most common case, and
   * creates no node for each word.
   */
  addText(text: string): boolean {
    const last = this.#last;
    const before = last && textOf(last);
    if (before === undefined) return false;
    this.#last = { kind: 'string', value: before + text, origin: last!.origin };
    return true;
  }

  /** Returns the finished value and empties the draft. */
  take(): Raw {
    const last = this.#last!;
    const apart = this.#apart;
    this.clear();
    if (apart === undefined) return last;
    apart.push(last);
    const broken = apart.find((piece) => piece.kind === 'broken');
    return broken ?? { kind: 'concatenation', pieces: apart, origin: apart[0]!.origin };
  }

  clear(): void {
    this.#last = undefined;
    this.#apart = undefined;
    this.lastIsSimple = false;
    this.clash = undefined;
    this.start = -1;
  }
}

function waits(node: Raw): boolean {
  return node.kind === 'reference' || node.kind === 'broken';
}
