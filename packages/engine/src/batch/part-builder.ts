import type { DocumentEncoder } from '../component/indexer.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { writeString } from '../document/json-writer.ts';
import type { TableGroup } from '../document/table-group.ts';
import { classOf, contractError, kindOf } from '../errors/contract-error.ts';
import { type Failure, type HeadraceError, toFailure } from '../errors/headrace-error.ts';
import type { BatchSink } from '../execution/batch-execution.ts';
import type { StageError } from '../execution/stage-error.ts';
import type { Undo } from '../execution/undo.ts';
import { MAX_LISTED_FAILURES } from '../failures/kept-failure.ts';
import type { FamilyLines } from '../families/family-lines.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import { release } from '../transport/release.ts';
import { ByteWriter } from './byte-writer.ts';
import type { IdLists, OutcomePart, PartFailure } from './pipeline-messages.ts';

const NOT_EMPTY = 'Nothing would be sent, and the document would count as sent. To leave it out, drop it in a stage.';
const NOT_LATER = 'Its result must be there when it returns: it cannot be async.';

/** A part is posted at this many characters, between two documents, so that a large batch does not fill the memory. */
const DUE_CHARACTERS = 1024 * 1024;
/**
 * The same, if the encoder packs the part. It is then small when it leaves the thread. The output of a chunk of 1 MiB
 * should fit, because the rest of a chunk would become another part, and the chunk would be decoded again for it.
 */
const DUE_CHARACTERS_PACKED = 1.5 * DUE_CHARACTERS;
/**
 * At this many characters a part is posted even while a document emits children. The document then waits, and all
 * documents after it, which costs much more than a larger part. So this limit is for large families only.
 */
const FULL_CHARACTERS = 4 * 1024 * 1024;

/** An encoded document with its id. */
interface Encoded {
  readonly id: string;
  readonly text: string;
}

/**
 * Encodes and counts the documents that leave a pipeline, until they are taken as a part of a batch. If V8 interrupts
 * work, an undo restores the state before the work.
 */
export class PartBuilder implements BatchSink {
  /** The position in the batch of the document that the pipeline processes. Failures include it. */
  position = 0;
  readonly #encoder: DocumentEncoder | undefined;
  readonly #withLengths: boolean;
  readonly #output = new ByteWriter();
  /**
   * The ids as JSON, each with a comma. Stored as bytes, because many strings in a list would outlive the young
   * generation.
   */
  readonly #ids = new ByteWriter();
  #idCount = 0;
  #lengths: number[] = [];
  #failures: PartFailure[] = [];
  #count = 0;
  #published = 0;
  #created = 0;
  #dropped = 0;
  #failed = 0;
  #lists: IdLists | undefined;
  readonly #family: FamilyLines | undefined;
  /** The last document of the current family. It waits for the line about the family. */
  #held: Encoded | undefined;

  /**
   * Posts the part while a document still emits children, because the children of one document may need more memory
   * than available. Returns false if no more children are needed.
   */
  readonly relieve: () => Promise<boolean>;

  readonly #maxFailures: number;
  readonly #notices: NoticeCollector;
  /** Why the encoder is not used any more: its texts could be those of other documents. */
  #refused: HeadraceError | undefined;

  /**
   * @param withLengths true if the indexer cuts batches by document and needs the length of each document
   * @param maxFailures the maximum number of failures that the run reports
   * @param notices counts the notices of the thread, which leave with the parts
   * @param family writes the lines about families, if the indexer deletes old children
   */
  constructor(
    encoder: DocumentEncoder | undefined,
    withLengths: boolean,
    relieve: () => Promise<boolean>,
    maxFailures: number,
    notices: NoticeCollector,
    family?: FamilyLines,
  ) {
    this.#family = family;
    this.#maxFailures = maxFailures;
    this.#notices = notices;
    this.#encoder = encoder;
    this.#withLengths = withLengths;
    this.relieve = relieve;
  }

  /** True if the part should be taken after the current document. */
  get due(): boolean {
    const most = this.#encoder?.pack === undefined ? DUE_CHARACTERS : DUE_CHARACTERS_PACKED;
    return this.#output.characters >= most;
  }

  /** True if the part must be taken before the next child of the current document. */
  get full(): boolean {
    return this.#output.characters >= FULL_CHARACTERS;
  }

  /** True if a child must leave directly before its parent, without documents of other families between them. */
  get needsFamilies(): boolean {
    return this.#family !== undefined;
  }

  /** True if documents that leave as tables take less time than single documents. */
  get prefersTables(): boolean {
    return this.#family === undefined && (this.#encoder === undefined || this.#encoder.encodeTable !== undefined);
  }

  /** Begins a batch. If `listsIds` is true, its parts list the ids of the documents. */
  startBatch(listsIds: boolean): void {
    this.#lists = listsIds ? { created: [], dropped: [], sent: [] } : undefined;
  }

  emit(document: Document, isChild: boolean): void {
    this.#emit(document, isChild);
    if (isChild) removeLargeValues(document);
  }

  #emit(document: Document, isChild: boolean): void {
    if (isChild) {
      this.#created++;
      this.#lists?.created.push(document.id);
    }
    if (document.dropped) {
      this.#dropped++;
      this.#lists?.dropped.push(document.id);
      return;
    }
    const family = this.#family?.add(document, isChild);
    let text = '';
    try {
      if (this.#refused !== undefined) throw this.#refused;
      if (this.#encoder !== undefined) text = encode(this.#encoder, document);
    } catch (error) {
      this.#fail(document.id, 'indexer', toFailure(error, 'HR_INDEXER_FAILED'));
      return;
    }
    if (family === undefined) this.#add(document.id, text);
    else {
      this.#release('');
      this.#held = { id: document.id, text: text + family };
    }
  }

  finished(input: Document): void {
    this.#published++;
    // A family without a sent document ends without a line: its documents were dropped, maybe as unchanged.
    if (this.#held !== undefined) this.#release(this.#family?.end(input) ?? '');
    else this.#family?.forget();
    this.#leave(input);
  }

  failedDocument(input: Document, error: StageError): void {
    this.#published++;
    if (this.#held !== undefined) this.#release(this.#family?.end(input, true) ?? '');
    else this.#family?.forget();
    this.#fail(input.id, error.stage, toFailure(error, 'HR_STAGE_FAILED'));
    this.#leave(input);
  }

  /** Frees the memory of large values that no longer exist. If the part is due, it may contain them. */
  #leave(input: Document): void {
    removeLargeValues(input);
    if (threadMemory.hasLeft && !this.due) threadMemory.releaseLeft();
  }

  /** Counts a record that could not be read, with all its documents. */
  rejected(id: string, failure: Failure, count: number): void {
    this.#published += count;
    this.#failed += count;
    // Another document may be in a waiting stage, and then the current position refers to that document.
    this.#addFailure({ id, at: 'connector', failure, position: -1 });
  }

  dropped(inputs: number, children: number): void {
    this.#published += inputs;
    this.#created += children;
    this.#dropped += inputs + children;
  }

  /** Receives a group whose documents all leave the pipeline. */
  group(group: TableGroup): void {
    const { tables, skipped } = group;
    if (tables.length === 1 && skipped.length === 0 && !group.hasChildren) {
      this.table(tables[0] as DocumentTable, group);
      return;
    }
    const texts: (readonly string[] | undefined)[] = [];
    for (const list of [tables, skipped]) for (const table of list) texts.push(this.#texts(table));
    group.each((table, row, number) => {
      const place = table.position(row);
      const isChild = group.isChild(place);
      this.position = group.position(place);
      const list = texts[number];
      if (list === undefined) {
        const document = table.document(row);
        this.emit(document, isChild);
        if (!isChild) this.finished(document);
        return;
      }
      if (isChild) this.#created++;
      else this.#published++;
      this.#add(table.ids[row] as string, list[row] ?? '');
    });
  }

  /**
   * Receives a table whose documents all leave the pipeline.
   * @param group the group of the table, if the rows have places in a group
   */
  table(table: DocumentTable, group?: TableGroup): void {
    const texts = this.#texts(table);
    if (texts === undefined) {
      for (let row = 0; row < table.count; row++) {
        const place = table.position(row);
        this.position = group?.position(place) ?? place;
        const document = table.document(row);
        this.emit(document, false);
        this.finished(document);
      }
      return;
    }
    this.#writeAll(texts);
    this.#count += table.count;
    this.#published += table.count;
    // A streaming indexer fails as a whole, and a run does not report more failed documents than this.
    const wanted = this.#withLengths ? table.count : Math.min(table.count, MAX_LISTED_FAILURES - this.#idCount);
    if (wanted <= 0) return;
    const ids = wanted === table.count ? table.ids : table.ids.slice(0, wanted);
    this.#writeIds(JSON.stringify(ids).slice(1, -1), wanted);
  }

  /** The undo is not valid after a `take`. */
  mark(): Undo {
    const undoOutput = this.#output.mark();
    const undoIds = this.#ids.mark();
    const undoFamily = this.#family?.mark();
    const undoNotices = this.#notices.mark();
    const idCount = this.#idCount;
    const lengths = this.#lengths.length;
    const failures = this.#failures.length;
    const count = this.#count;
    const published = this.#published;
    const created = this.#created;
    const dropped = this.#dropped;
    const failed = this.#failed;
    const held = this.#held;
    const undoLists = this.#lists === undefined ? undefined : markLists(this.#lists);
    return () => {
      undoOutput();
      undoIds();
      undoFamily?.();
      undoNotices();
      undoLists?.();
      this.#idCount = idCount;
      this.#lengths.length = lengths;
      this.#failures.length = failures;
      this.#count = count;
      this.#published = published;
      this.#created = created;
      this.#dropped = dropped;
      this.#failed = failed;
      this.#held = held;
    };
  }

  /** The documents that have failed since the last `take`, except those without a position in the batch. */
  get failedDocuments(): readonly PartFailure[] {
    return this.#failures.filter(({ position }) => position >= 0);
  }

  /** Returns everything since the last call as a part. */
  take(sequence: number, last: boolean): OutcomePart {
    const published = this.#published;
    const created = this.#created;
    const dropped = this.#dropped;
    const failed = this.#failed;
    const failures = this.#failures;
    const count = this.#count;
    const bytes = this.#takeBytes();
    const lengths = this.#withLengths ? Uint32Array.from(this.#lengths) : undefined;
    const notices = this.#notices.take();
    const part: OutcomePart = {
      sequence,
      last,
      published,
      created,
      dropped,
      failed,
      failures,
      count,
      bytes,
      ids: this.#takeIds(),
      lengths,
      ...hashesOf(this.#encoder, bytes, lengths),
      ...(this.#lists === undefined ? {} : { lists: this.#lists }),
      ...(notices.length === 0 ? {} : { notices }),
    };
    if (this.#lists !== undefined) this.#lists = { created: [], dropped: [], sent: [] };
    this.#count = this.#published = this.#created = this.#dropped = this.#failed = 0;
    this.#failures = [];
    this.#lengths = [];
    return part;
  }

  /** @param json the ids as JSON, separated by commas */
  #writeIds(json: string, count: number): void {
    this.#ids.write(`${json},`);
    this.#idCount += count;
  }

  #takeBytes(): Uint8Array<ArrayBuffer> {
    const bytes = this.#output.take();
    if (this.#encoder?.pack === undefined || bytes.length === 0) return bytes;
    const packed = pack(this.#encoder, bytes);
    release(bytes);
    return packed;
  }

  #takeIds(): string {
    const bytes = this.#ids.take();
    const list = `[${Buffer.from(bytes.buffer, 0, Math.max(0, bytes.length - 1)).toString()}]`;
    release(bytes);
    this.#idCount = 0;
    return list;
  }

  /** Returns the texts of all documents. Returns undefined if they must be encoded one at a time. */
  #texts(table: DocumentTable): string[] | undefined {
    if (this.#encoder === undefined) return [];
    if (this.#family !== undefined || this.#refused !== undefined) return undefined;
    const undoNotices = this.#notices.mark();
    try {
      const texts = encodeTable(this.#encoder, table, this.#withLengths);
      // The documents are now encoded one at a time.
      if (texts === undefined) undoNotices();
      return texts;
    } catch (error) {
      undoNotices();
      this.#refused = error as HeadraceError;
      return undefined;
    }
  }

  /** Adds the document that waits for the end of its family. */
  #release(line: string): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#add(held.id, held.text + line);
  }

  #add(id: string, text: string): void {
    if (this.#encoder !== undefined) this.#write(text);
    this.#count++;
    this.#lists?.sent.push(id);
    if (this.#withLengths || this.#idCount < MAX_LISTED_FAILURES) this.#writeIds(writeString(id), 1);
  }

  #write(text: string): void {
    this.#output.write(text);
    if (this.#withLengths) this.#lengths.push(Buffer.byteLength(text));
  }

  /**
   * Writes many texts. If all their characters are ASCII, the lengths are known. Otherwise V8 must join the pieces of
   * each text to compute its length.
   */
  #writeAll(texts: readonly string[]): void {
    const output = this.#output;
    if (!this.#withLengths) {
      for (const text of texts) output.write(text);
      return;
    }
    const start = output.measure();
    let characters = 0;
    for (const text of texts) {
      characters += text.length;
      output.write(text);
    }
    const isAscii = output.measure() - start === characters;
    for (const text of texts) this.#lengths.push(isAscii ? text.length : Buffer.byteLength(text));
  }

  #fail(id: string, at: string, failure: Failure): void {
    this.#failed++;
    this.#addFailure({ id, at, failure, position: this.position });
  }

  /** Adds a failure, up to the maximum number of failures of a run. */
  #addFailure(failure: PartFailure): void {
    if (this.#failures.length < this.#maxFailures) this.#failures.push(failure);
  }
}

function markLists({ created, dropped, sent }: IdLists): Undo {
  const lengths = [created.length, dropped.length, sent.length] as const;
  return () => {
    [created.length, dropped.length, sent.length] = lengths;
  };
}

/** Returns the hashes of encoded documents as a member of their part, if the encoder computes them. */
export function hashesOf(
  encoder: DocumentEncoder | undefined,
  bytes: Uint8Array,
  lengths: Uint32Array | undefined,
): Pick<OutcomePart, 'hashes'> {
  if (encoder?.hash === undefined || lengths === undefined) return {};
  const hashes = encoder.hash(bytes, lengths);
  const { length: count } = lengths;
  // Hashes at wrong places would make changed documents look unchanged.
  if (!(hashes instanceof Uint8Array) || (count > 0 ? hashes.length === 0 || hashes.length % count > 0 : false)) {
    const returned = hashes instanceof Uint8Array ? `${hashes.length} bytes` : kindOf(hashes);
    throw contractError(
      `hash() of ${classOf(encoder)} returned ${returned} for ${count} documents, not one hash for each`,
    );
  }
  return { hashes };
}

function encode(encoder: DocumentEncoder, document: Document): string {
  const text: unknown = encoder.encode(document);
  if (typeof text !== 'string') {
    throw contractError(`encode() of ${classOf(encoder)} returned ${kindOf(text)}, not a text`, NOT_LATER);
  }
  if (text === '') throw contractError(`encode() of ${classOf(encoder)} returned an empty text`, NOT_EMPTY);
  return text;
}

/**
 * Returns the texts of all documents. Returns undefined if they must be encoded one at a time.
 * @param oneEach whether the indexer needs one text for each document
 */
function encodeTable(encoder: DocumentEncoder, table: DocumentTable, oneEach: boolean): string[] | undefined {
  let texts: string[] | undefined;
  try {
    texts = encoder.encodeTable?.(table);
  } catch {
    // If documents are encoded one at a time, only the document with the error fails.
    return undefined;
  }
  if (texts === undefined) return undefined;
  // A missing text would give all later documents the text of another one.
  const isList = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
  if (isList && (oneEach ? texts.length === table.count : texts.length > 0 || table.count === 0)) {
    if (texts.includes(''))
      throw contractError(`encodeTable() of ${classOf(encoder)} returned an empty text`, NOT_EMPTY);
    return texts;
  }
  const returned = isList ? `${texts.length} texts` : kindOf(texts);
  throw contractError(
    `encodeTable() of ${classOf(encoder)} returned ${returned} for ${table.count} documents, not one text for each`,
  );
}

function pack(encoder: DocumentEncoder, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const packed: unknown = encoder.pack?.(bytes);
  if (!(packed instanceof Uint8Array) || packed.buffer === bytes.buffer) {
    const returned = packed instanceof Uint8Array ? 'the memory that it received' : kindOf(packed);
    throw contractError(`pack() of ${classOf(encoder)} returned ${returned}, not bytes in separate memory`, NOT_LATER);
  }
  // Small Buffers share memory with others, which must not be transferred.
  return packed.byteLength === packed.buffer.byteLength ? (packed as Uint8Array<ArrayBuffer>) : new Uint8Array(packed);
}

/** Removes the values of a document that has left the pipeline and holds memory. Its batch still refers to it. */
function removeLargeValues(document: Document): void {
  if (!threadMemory.leave(document)) return;
  for (const name of [...document.fieldNames]) if (name !== 'id') document.delete(name);
}
