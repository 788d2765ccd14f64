import type { Notices } from '@headrace/engine';
import { murmurHash } from '../reindexing/murmur-hash.ts';

/** The number of ids that share a place of the table. */
const WAYS = 8;
/** The table remembers about this many ids: 8 MB. */
const REMEMBERED = 2 ** 21;
const PLACES = REMEMBERED / WAYS;
const SEED = 0x5bd1e995;

/**
 * Counts rows with the id of an earlier row: only the last row with an id is in the destination. It remembers 32 bits of
 * the hash of each id. A table of up to a million rows is counted completely. In a larger one, an old id may be
 * forgotten, so the count is at least the true one minus such repetitions. Of a billion rows, less than ten are counted
 * wrongly.
 */
export class RepeatedIds {
  readonly #notices: Notices;
  /** True if neighbours with one id become one document. */
  readonly #collapses: boolean;
  readonly #marks = new Uint32Array(REMEMBERED);
  readonly #hash = new Int32Array(4);
  readonly #scratch = Buffer.alloc(2048);
  readonly #scratchView = new DataView(this.#scratch.buffer, this.#scratch.byteOffset, this.#scratch.length);
  /** The place and the mark of the last row. */
  #lastPlace = -1;
  #lastMark = 0;
  /** The next id to forget. */
  #forget = 0;

  constructor(notices: Notices, collapses: boolean) {
    this.#notices = notices;
    this.#collapses = collapses;
  }

  add(id: string): void {
    const most = this.#scratch.length;
    if (3 * id.length <= most) this.#add(this.#scratchView, 0, this.#scratch.write(id));
    else {
      const bytes = Buffer.from(id);
      this.#add(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
    }
  }

  /**
   * Adds the ids of rows in the form of the Postgres protocol: complete DataRow messages.
   * @param idColumn the index of the id column
   */
  addDataRows(bytes: Uint8Array, idColumn: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 1 + view.getUint32(at + 1)) {
      // A code, a length and the number of columns.
      let from = at + 7;
      for (let i = 0; i < idColumn; i++) from += 4 + Math.max(0, view.getInt32(from));
      const length = view.getInt32(from);
      if (length > 0) this.#add(view, from + 4, from + 4 + length);
    }
  }

  #add(bytes: DataView, from: number, to: number): void {
    const hash = this.#hash;
    hash.fill(SEED);
    murmurHash(bytes, from, to, hash);
    const place = placeOf(hash[0] as number);
    // 0 means that the entry is empty.
    const mark = (hash[1] as number) >>> 0 || 1;
    const isNeighbour = place === this.#lastPlace && mark === this.#lastMark;
    this.#lastPlace = place;
    this.#lastMark = mark;
    if (isNeighbour) {
      if (!this.#collapses) this.#report(bytes, from, to);
      return;
    }
    let start = place;
    let end = this.#find(start, mark);
    // An id is in its second place only if the first one is full. So most ids need one access to the memory, and no id
    // is forgotten before the table is nearly full.
    if (end === start + WAYS) {
      start = placeOf(hash[2] as number);
      end = this.#find(start, mark);
    }
    if (end < 0) {
      this.#report(bytes, from, to);
      return;
    }
    if (end === start + WAYS) {
      this.#forget = (this.#forget + 1) % WAYS;
      end = start + this.#forget;
    }
    this.#marks[end] = mark;
  }

  /** Returns the end of the marks of a place, or -1 if the mark is there. */
  #find(place: number, mark: number): number {
    const marks = this.#marks;
    for (let i = place; i < place + WAYS; i++) {
      if (marks[i] === mark) return -1;
      if (marks[i] === 0) return i;
    }
    return place + WAYS;
  }

  #report(bytes: DataView, from: number, to: number): void {
    const document = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
    this.#notices.report('ids.repeated', { document });
  }
}

function placeOf(hash: number): number {
  return ((hash >>> 0) % PLACES) * WAYS;
}
