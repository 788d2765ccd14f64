import type { XmlName } from './xml-names.ts';
import type { XmlRecord } from './xml-record.ts';

/**
 * Tracks the open elements of a document. Finds the records at a path, and the id texts at another path inside them.
 */
export class XmlRecordFinder {
  /** The records found since the list was last emptied. */
  readonly records: XmlRecord[] = [];
  /** The start of the current record, or -1 if there is none. */
  recordStart = -1;
  recordLine = 0;

  readonly #rootPath: readonly string[];
  readonly #idPath: readonly string[];
  readonly #open: XmlName[] = [];
  /** The number of open elements on the path to the records, and on the path to the id. */
  #onRootPath = 0;
  #onIdPath = 0;
  #idPieces: { start: number; end: number; cdata: boolean }[] = [];

  /** @param idPath the path of the id element; empty if the id is not the text of an element */
  constructor(rootPath: readonly string[], idPath: readonly string[]) {
    this.#rootPath = rootPath;
    this.#idPath = idPath;
  }

  /** The number of open elements. */
  get depth(): number {
    return this.#open.length;
  }

  /** Returns the innermost open element. */
  get innermost(): XmlName | undefined {
    return this.#open.at(-1);
  }

  /** Reports that the bytes were moved towards the beginning by this amount. */
  moved(by: number): void {
    if (this.recordStart >= 0) this.recordStart -= by;
  }

  /** Drops the current record. */
  abandon(): void {
    this.recordStart = -1;
  }

  /** The name of the elements that are records. */
  get recordName(): string {
    return this.#rootPath.at(-1) as string;
  }

  /** Whether the innermost element is the one that contains the records, or a record contains it. */
  get isAmongRecords(): boolean {
    return this.recordStart >= 0 || this.#isAroundRecords;
  }

  get #isAroundRecords(): boolean {
    const depth = this.#rootPath.length - 1;
    return depth > 0 && this.#open.length === depth && this.#onRootPath === depth;
  }

  /** Returns to the element that contains the records, from anywhere inside the current record. */
  leaveRecord(): void {
    const depth = this.#rootPath.length - 1;
    this.#open.length = depth;
    this.#onRootPath = depth;
    this.#onIdPath = Math.min(this.#onIdPath, depth);
    this.recordStart = -1;
  }

  /** Reports that the tag at this position opened an element. */
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

  /** Reports that the tag that ends at this position closed the innermost element. */
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

  /** Reports a text in the innermost element. All text inside an id element counts, at any depth. */
  text(from: number, to: number, cdata: boolean): void {
    const { length } = this.#idPath;
    if (length === 0 || this.#onIdPath !== length) return;
    if (this.recordStart < 0 || from === to) return;
    const start = from - this.recordStart;
    const last = this.#idPieces.at(-1);
    // Text that arrives in two parts may be cut inside a character.
    if (last !== undefined && last.end === start && last.cdata === cdata) last.end = to - this.recordStart;
    else this.#idPieces.push({ start, end: to - this.recordStart, cdata });
  }
}
