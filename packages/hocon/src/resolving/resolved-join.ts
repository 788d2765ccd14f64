import { Combiner } from '../merging/combine.ts';
import type { Joiner } from '../merging/concatenate.ts';
import { isFromEnv, join, textOf } from '../merging/concatenate.ts';
import type { ListNode, Origin, StringNode } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';
import type { Resolution, Resolved } from './resolution.ts';
import { broken } from './resolve-problems.ts';

/** Joins resolved values. These values may also be used in other places, so a joined value is a copy. */
export class ResolvedJoin {
  readonly #resolution: Resolution;
  #combiner: Combiner | undefined;
  #joined: Resolved;

  constructor(resolution: Resolution) {
    this.#resolution = resolution;
  }

  get value(): Resolved {
    return this.#joined;
  }

  /**
   * Joins another piece of a concatenation. The result has the position of the concatenation.
   * @param isWritten true if the piece is written there and not used in other places, so that it may be changed
   * @returns false if the piece cannot be joined or is too large; the problem is then reported
   */
  add(piece: Raw, isWritten: boolean, origin: Origin): boolean {
    if (isWritten && piece.kind === 'object') this.#combine().adopt(piece);
    if (this.#joined === undefined) {
      this.#joined = piece;
      return true;
    }
    const { problems, budget, marks } = this.#resolution;
    const both = join(this.#joined, piece, marks, this.#joiner(origin));
    if (both === undefined) this.#joined = problems.notJoinable(this.#joined, piece, origin);
    else this.#joined = both.kind === 'string' ? budget.admit({ ...both, origin }, origin) : both;
    return this.#joined.kind !== 'broken';
  }

  /** Merges the current result over another value. */
  layOver(lower: Raw): void {
    this.#joined = this.#joined === undefined ? lower : this.#over(this.#joined, lower);
  }

  #joiner(origin: Origin): Joiner {
    return {
      objects: (left, right) => {
        const both = this.#over(right, left);
        if (this.#combine().owns(both)) both.origin = origin;
        return both;
      },
      lists: (_left, first, _right, second) => {
        this.#resolution.budget.step((first.length + second.length) >> 2);
        return { kind: 'list', items: first.concat(second) as ListNode['items'], origin };
      },
    };
  }

  #over(upper: Raw, lower: Raw): Raw {
    const combiner = this.#combine();
    const before = combiner.steps;
    const result = combiner.combine(upper, lower);
    this.#resolution.budget.step(combiner.steps - before);
    return result;
  }

  #combine(): Combiner {
    this.#combiner ??= new Combiner(this.#resolution.marks);
    return this.#combiner;
  }
}

/** Joins the pieces of a concatenation of strings in one step. Returns undefined for any other concatenation. */
export function joinTexts(pieces: readonly Resolved[], origin: Origin, resolution: Resolution): Raw | undefined {
  if (pieces.length < 2) return undefined;
  let length = 0;
  for (const piece of pieces) {
    const text = piece && textOf(piece);
    if (text === undefined) return undefined;
    length += text.length;
  }
  if (!resolution.budget.fitsText(length, origin)) return broken(origin);
  const node: StringNode = { kind: 'string', value: '', origin };
  for (const piece of pieces) {
    node.value += textOf(piece!);
    if (isFromEnv(piece!)) node.fromEnv = true;
  }
  return node;
}
