import type { XmlName } from './xml-names.ts';
import type { XmlRecord } from './xml-record.ts';

/** Tracks the open elements of a document and finds those at a path, with the texts at another path inside them. */
export class XmlRecordFinder {
  /** The records that were found since this was emptied. */
  readonly records: XmlRecord[] = [];
  /** Where the current record begins; -1 if there is none. */
  recordStart = -1;
  recordLine = 0;

  readonly #rootPath: readonly string[];
  readonly #idPath: readonly string[];
  readonly #open: XmlName[] = [];
  /** How many of the open elements are on the path to the records, and on the path to the id. */
  #onRootPath = 0;
  #onIdPath = 0;
  #idPieces: { start: number; end: number; cdata: boolean }[] = [];

  /** @param idPath empty if the id does not come from an element's text */
  constructor(rootPath: readonly string[], idPath: readonly string[]) {
    this.#rootPath = rootPath;
    this.#idPath = idPath;
  }

  /** How many elements are open. */
  get depth(): number {
    return this.#open.length;
  }

  /** Returns the element that is open. */
  get innermost(): XmlName | undefined {
    return this.#open.at(-1);
  }

  /** The bytes were moved towards the beginning by this amount. */
  moved(by: number): void {
    if (this.recordStart >= 0) this.recordStart -= by;
  }

  /** The current record is not wanted. */
  abandon(): void {
    this.recordStart = -1;
  }

  /** An element was opened by the tag that begins there. */
  opened(name: XmlName, at: number, line: number): void {
    const open = this.#open;
    const rootPath = this.#rootPath;
    const idPath = this.#idPath;
    const depth = open.length;
    if (this.#onRootPath === depth && rootPath[depth] === name.text) {
      this.#onRootPath++;
      if (depth + 1 === rootPath.length) {
        this.recordStart = at;
        this.recordLine = line;
        this.#idPieces = [];
      }
    }
    if (this.#onIdPath === depth && idPath[depth] === name.text) this.#onIdPath++;
    open.push(name);
  }

  /** The innermost element was closed by the tag that ends there. */
  closed(end: number): void {
    const open = this.#open;
    const rootPath = this.#rootPath;
    open.pop();
    const depth = open.length;
    if (this.#onIdPath > depth) this.#onIdPath = depth;
    if (this.#onRootPath <= depth) return;
    this.#onRootPath = depth;
    if (depth + 1 !== rootPath.length || this.recordStart < 0) return;
    this.records.push({ start: this.recordStart, end, line: this.recordLine, id: this.#idPieces });
    this.recordStart = -1;
  }

  /** The innermost element contains the text in this range. All text inside an id element counts, at any depth. */
  text(from: number, to: number, cdata: boolean): void {
    const { length } = this.#idPath;
    if (length === 0 || this.#onIdPath !== length) return;
    if (this.recordStart < 0 || from === to) return;
    const start = from - this.recordStart;
    const last = this.#idPieces.at(-1);
    // Text that arrives in two parts may be cut within a character.
    if (last !== undefined && last.end === start && last.cdata === cdata) last.end = to - this.recordStart;
    else this.#idPieces.push({ start, end: to - this.recordStart, cdata });
  }
}
