import type { Span } from '../syntax/syntax-tree.ts';
import type { Piece, TextChange } from './text-change.ts';
import { changesOf, lineBreakOf, withLineBreaks } from './text-change.ts';

/** A field or element with its comments: the lines of comments above it, and the comment beside it. */
interface Cell extends Span {
  itemFrom: number;
  itemTo: number;
  /** The end of the comma after the item. Equal to `itemTo` if there is none. */
  commaTo: number;
}

/** The text inside an object or list. */
export interface Region extends Span {
  /** True for a config without braces around it. */
  bare: boolean;
}

/** A cell of the edited text: an index of a cell that keeps its place, or text. */
type Placed = number | { above: string; item: string; beside: string };

/**
 * The fields of an object or the elements of a list, with the comments, commas and white space between them. Cells can
 * be inserted, removed and moved. Comments belong to the cell below them if no empty line is between, or to the cell
 * before them on the same line. Other comments keep their place.
 */
export class Cells {
  readonly #text: string;
  readonly #json: boolean;
  readonly #region: Region;
  readonly #cells: Cell[] = [];
  readonly #comments: readonly Span[];
  readonly #lineBreak: string;

  constructor(text: string, json: boolean, region: Region, items: readonly Span[], comments: readonly Span[]) {
    this.#text = text;
    this.#json = json;
    this.#region = region;
    this.#lineBreak = lineBreakOf(text);
    this.#comments = comments.filter(({ from, to }) => from >= region.from && to <= region.to);
    for (const [i, { from, to }] of items.entries()) {
      const before = items[i - 1]?.to ?? region.from;
      const after = items[i + 1]?.from ?? region.to;
      const commaTo = this.#commaTo(to, after);
      const beside = this.#gapComments(to, after).find((one) => !this.#slice(to, one.from).includes('\n'));
      this.#cells.push({
        from: this.#above(before, from),
        ...{ itemFrom: from, itemTo: to, commaTo },
        to: Math.max(beside?.to ?? commaTo, commaTo),
      });
    }
  }

  get size(): number {
    return this.#cells.length;
  }

  /** True if commas separate the cells, and not only line breaks. */
  get usesCommas(): boolean {
    if (this.#json) return true;
    const mids = this.#mids().some((mid) => this.#isSeparating(mid));
    return mids || this.#cells.some(({ itemTo, commaTo }) => commaTo > itemTo);
  }

  /**
   * Inserts a cell.
   * @param write returns the text of the cell for the indentation of its line
   */
  insert(index: number, write: (indent: string) => string, unit: string, onOwnLine: boolean): TextChange[] {
    if (this.size === 0) return this.#insertFirst(write, unit, onOwnLine);
    const mids: Piece[] = this.#mids();
    const mid = this.#newMid(index, onOwnLine);
    mids.splice(index === this.size ? index - 1 : index, 0, mid);
    const order: Placed[] = this.#cells.map((_, i) => i);
    const broken = mid.includes('\n') ? mid.slice(mid.lastIndexOf('\n') + 1) : undefined;
    const item = write(broken ?? this.#indentAt(this.#cells[0]!.itemFrom));
    order.splice(index, 0, { above: '', item, beside: '' });
    const commas = this.#commas();
    const trailing = commas.pop() ?? false;
    commas.splice(index, 0, this.usesCommas && !this.#isSeparating(mid));
    return this.#changes(order, [...commas, trailing], this.#head(), mids, this.#tail());
  }

  remove(indexes: ReadonlySet<number>): TextChange[] {
    const kept = this.#cells
      .keys()
      .toArray()
      .filter((i) => !indexes.has(i));
    const { from, to } = this.#region;
    const commented = (span: Span) => this.#comments.some((one) => one.from >= span.from && one.to <= span.to);
    if (kept.length === 0) {
      const detached = [this.#head(), ...this.#mids(), this.#tail()].filter(commented);
      if (detached.length === 0) return changesOf(this.#text, from, to, []);
      const texts = detached.map(({ from, to }) => withoutComma(this.#slice(from, to).trimEnd()));
      const rest = trailingSpace(this.#slice(this.#tail().from, to));
      const isEnded = this.#region.bare || rest.includes('\n');
      const end = isEnded ? rest : this.#withLineBreaks(`\n${this.#indentAt(from)}`);
      return changesOf(this.#text, from, to, [...texts, end]);
    }
    const all = [this.#head(), ...this.#mids(), this.#tail()];
    const between = (first: number, last: number): Piece => {
      const spans = all.slice(first, last + 1);
      const isEnd = last === this.size;
      const best = isEnd ? spans.at(-1)! : (spans.find(commented) ?? spans[0]!);
      const others = spans.filter((span) => span !== best && commented(span));
      // No comma may be before the first cell.
      const isOdd = first === 0 && this.#isSeparating(best);
      if (others.length === 0 && !isOdd) return best;
      const texts = others.map(({ from, to }) => withoutComma(this.#slice(from, to).trimEnd()));
      const written = this.#slice(best.from, best.to);
      const rest = isOdd ? withoutComma(written) : written;
      return isEnd ? [...texts, rest].join('') : [rest.trimEnd(), ...texts].join('') + trailingSpace(rest);
    };
    const mids = kept.slice(1).map((index, k) => between(kept[k]! + 1, index));
    const flags = this.#commas();
    const commas = kept.map((index, k) => flags[k === kept.length - 1 ? this.size - 1 : index] ?? false);
    return this.#changes(kept, commas, between(0, kept[0]!), mids, between(kept.at(-1)! + 1, this.size));
  }

  /** Moves a cell with its comments. `to` is its index after the move. */
  move(from: number, to: number): TextChange[] {
    if (from === to) return [];
    const cell = this.#cells[from]!;
    const order: Placed[] = this.#cells.keys().toArray();
    order.splice(from, 1);
    order.splice(to, 0, {
      above: this.#slice(cell.from, cell.itemFrom),
      item: this.#slice(cell.itemFrom, cell.itemTo),
      beside: this.#slice(cell.commaTo, cell.to),
    });
    // The texts between the cells are pieces of the original text, so they must stay in order with the cells.
    const mids = this.#mids();
    const moved = mids.map((mid, i): Piece => {
      const isInside = i >= Math.min(from, to) && i < Math.max(from, to);
      return isInside ? this.#slice(mid.from, mid.to) : mid;
    });
    return this.#changes(order, this.#commas(), this.#head(), moved, this.#tail());
  }

  #changes(order: Placed[], commas: boolean[], head: Piece, mids: Piece[], tail: Piece): TextChange[] {
    const pieces: Piece[] = [head];
    let before = head;
    for (const [k, placed] of order.entries()) {
      const isLast = k === order.length - 1;
      const after = isLast ? tail : mids[k]!;
      const cell = typeof placed === 'number' ? this.#cells[placed]! : undefined;
      const { above, beside } =
        typeof placed === 'number'
          ? { above: this.#slice(cell!.from, cell!.itemFrom), beside: this.#slice(cell!.commaTo, cell!.to) }
          : placed;
      if (above !== '' && !this.#written(before).includes('\n') && k > 0) pieces.push(`\n${this.#indent()}`);
      if (typeof placed === 'number') pieces.push({ from: cell!.from, to: cell!.itemTo });
      else pieces.push(placed.above, placed.item);
      const isBroken = beside.trim() !== '' || this.#written(after).includes('\n');
      const mustSeparate = !isLast && !this.#isSeparating(after) && (this.#json || !isBroken);
      if (commas[k] === true || mustSeparate) {
        pieces.push(cell !== undefined && cell.commaTo > cell.itemTo ? { from: cell.itemTo, to: cell.commaTo } : ',');
      }
      pieces.push(cell === undefined ? beside : { from: cell.commaTo, to: cell.to });
      if (beside.trim() !== '' && !/^[^\S\n]*\r?\n/.test(this.#written(after)) && !(isLast && this.#isAtEnd(after))) {
        pieces.push(`\n${isLast ? this.#indentAt(this.#region.from) : this.#indent()}`);
      }
      pieces.push(after);
      before = after;
    }
    const { from, to } = this.#region;
    const normal = pieces.map((piece) => (typeof piece === 'string' ? this.#withLineBreaks(piece) : piece));
    return changesOf(this.#text, from, to, normal);
  }

  #withLineBreaks(text: string): string {
    return withLineBreaks(text, this.#lineBreak);
  }

  #insertFirst(write: (indent: string) => string, unit: string, onOwnLine: boolean): TextChange[] {
    const change = this.#firstChange(write, unit, onOwnLine);
    return [{ ...change, insert: this.#withLineBreaks(change.insert) }];
  }

  #firstChange(write: (indent: string) => string, unit: string, onOwnLine: boolean): TextChange {
    const { from, to, bare } = this.#region;
    const inner = this.#slice(from, to);
    if (bare) {
      const isEnded = inner === '' || inner.endsWith('\n');
      // An empty line keeps the comments at the start of a config apart from its first field.
      const empty = this.#comments.length > 0 && !/\n\s*\n$/.test(inner) ? '\n' : '';
      return { from: to, to, insert: `${isEnded ? '' : '\n'}${empty}${write('')}\n` };
    }
    const outer = this.#indentAt(from);
    const indent = outer + unit;
    const lineEnd = inner.indexOf('\n');
    if (lineEnd >= 0) {
      const at = from + lineEnd - (inner[lineEnd - 1] === '\r' ? 1 : 0);
      return { from: at, to: at, insert: `\n${indent}${write(indent)}` };
    }
    if (onOwnLine) return { from, to, insert: `\n${indent}${write(indent)}\n${outer}` };
    const space = this.#text[from - 1] === '{' ? ' ' : '';
    return { from, to, insert: space + write(outer) + space };
  }

  /** Returns the white space between a new cell and the cell after it, or before it at the end. */
  #newMid(index: number, onOwnLine: boolean): string {
    const mids = this.#mids();
    const near = mids[Math.min(index, mids.length - 1)];
    if (near !== undefined) {
      const written = this.#slice(near.from, near.to);
      if (written.trim() === '' || written.trim() === ',') return written;
      return `\n${this.#indent()}`;
    }
    const head = this.#head();
    const isBroken = this.#slice(head.from, this.#cells[0]!.itemFrom).includes('\n');
    if (isBroken || (this.#region.bare && onOwnLine)) return `\n${this.#indent()}`;
    return ' ';
  }

  #commas(): boolean[] {
    return this.#cells.map(({ itemTo, commaTo }) => commaTo > itemTo);
  }

  #head(): Span {
    return { from: this.#region.from, to: this.#cells[0]!.from };
  }

  #tail(): Span {
    return { from: this.#cells.at(-1)!.to, to: this.#region.to };
  }

  #mids(): Span[] {
    return this.#cells.slice(1).map(({ from }, i) => ({ from: this.#cells[i]!.to, to: from }));
  }

  /** Returns the white space at the start of the line of the first cell. */
  #indent(): string {
    return this.#indentAt(this.#cells[0]!.itemFrom);
  }

  #indentAt(offset: number): string {
    return indentOf(this.#text, offset);
  }

  /** Returns true at the end of a config without braces. */
  #isAtEnd(after: Piece): boolean {
    return this.#region.bare && this.#written(after) === '';
  }

  #written(piece: Piece): string {
    return typeof piece === 'string' ? piece : this.#slice(piece.from, piece.to);
  }

  /** Returns true if a text between two cells contains a comma that is not in a comment. */
  #isSeparating(piece: Piece): boolean {
    return this.#written(piece)
      .split('\n')
      .some((line) => line.trimStart().startsWith(','));
  }

  /** Returns the end of the comma on the line of a cell, or the end of the cell. */
  #commaTo(from: number, to: number): number {
    const found = /^[^\S\n]*,/.exec(this.#slice(from, to));
    return from + (found?.[0].length ?? 0);
  }

  /** Returns the start of the comments directly above a cell. */
  #above(before: number, from: number): number {
    let start = from;
    for (const comment of this.#gapComments(before, from).reverse()) {
      const isOnOwnLine = this.#slice(before, comment.from).includes('\n') || (before === 0 && this.#region.bare);
      const below = this.#slice(comment.to, start);
      if (!isOnOwnLine || below.trim() !== '' || below.split('\n').length > 2) break;
      start = comment.from;
    }
    return start;
  }

  #gapComments(from: number, to: number): Span[] {
    return this.#comments.filter((comment) => comment.from >= from && comment.to <= to);
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(from, to);
  }
}

/** Returns the white space at the start of the line of an offset. */
export function indentOf(text: string, offset: number): string {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  return /^[^\S\n]*/.exec(text.slice(start, offset))![0];
}

/** Returns a text between cells without the commas that start a line. */
function withoutComma(text: string): string {
  return text.replace(/^([^\S\n]*),/gm, '$1');
}

function trailingSpace(text: string): string {
  return text.slice(text.trimEnd().length);
}
