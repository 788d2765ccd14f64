import type { DocumentEncoder } from '../component/indexer.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { writeString } from '../document/json-writer.ts';
import { type Failure, toFailure } from '../errors/headrace-error.ts';
import { MAX_KEPT_FAILURES } from '../failures/kept-failure.ts';
import type { StageError } from '../pipeline/stage-error.ts';
import type { TableSink } from '../pipeline/table-pass.ts';
import { release } from '../transport/release.ts';
import { ByteWriter, type WriterMark } from './byte-writer.ts';
import type { OutcomePart, PartFailure } from './pipeline-messages.ts';

/** A part is posted at this many characters, between two documents, so that a large batch does not fill the memory. */
const DUE_CHARACTERS = 2 * 1024 * 1024;
/**
 * At this many characters a part is posted even while a document emits children. The document then waits, and all
 * documents after it, which costs much more than a larger part. So this limit is for large families only.
 */
const FULL_CHARACTERS = 4 * 1024 * 1024;

/** How far a part was. */
interface PartMark {
  readonly output: WriterMark;
  readonly ids: WriterMark;
  readonly idCount: number;
  readonly lengths: number;
  readonly failures: number;
  readonly counts: readonly [count: number, published: number, created: number, dropped: number, failed: number];
}

/**
 * Takes what leaves a pipeline, encodes it, and counts it, until it is taken as a part of a batch. If V8 ends work in
 * the middle, a rollback removes all of it, back to the mark before it.
 */
export class PartBuilder implements TableSink {
  /** The position in the batch of the document that the pipeline processes. Reports refer to it. */
  position = 0;
  readonly #encoder: DocumentEncoder | undefined;
  readonly #withLengths: boolean;
  readonly #output = new ByteWriter();
  /** Each id as JSON, with a comma. One text, because texts in a list would outlive the young generation. */
  readonly #ids = new ByteWriter();
  #idCount = 0;
  #lengths: number[] = [];
  #failures: PartFailure[] = [];
  #count = 0;
  #published = 0;
  #created = 0;
  #dropped = 0;
  #failed = 0;

  /**
   * Posts the part while a document still emits children: one document may have more children than fit into memory.
   * Returns false if no more children are wanted.
   */
  readonly relieve: () => Promise<boolean>;

  readonly #maxFailures: number;

  /**
   * @param withLengths whether the indexer cuts batches by document, so that it needs the length of each
   * @param maxFailures how many failures the run reports
   */
  constructor(
    encoder: DocumentEncoder | undefined,
    withLengths: boolean,
    relieve: () => Promise<boolean>,
    maxFailures: number,
  ) {
    this.#maxFailures = maxFailures;
    this.#encoder = encoder;
    this.#withLengths = withLengths;
    this.relieve = relieve;
  }

  /** Whether the part is large enough to be taken after the current document. */
  get due(): boolean {
    return this.#output.characters >= DUE_CHARACTERS;
  }

  /** Whether the part must be taken before the next child of the current document. */
  get full(): boolean {
    return this.#output.characters >= FULL_CHARACTERS;
  }

  emit(document: Document, isChild: boolean): void {
    if (isChild) this.#created++;
    if (document.dropped) {
      this.#dropped++;
      return;
    }
    const encoder = this.#encoder;
    if (encoder !== undefined) {
      let text: string;
      try {
        text = encoder.encode(document);
      } catch (error) {
        this.#fail(document.id, 'indexer', toFailure(error, 'HR_INDEXER_FAILED'));
        return;
      }
      this.#write(text);
    }
    this.#count++;
    if (this.#withLengths || this.#idCount < MAX_KEPT_FAILURES) this.#writeIds(writeString(document.id), 1);
  }

  finished(): void {
    this.#published++;
  }

  failedDocument(input: Document, error: StageError): void {
    this.#published++;
    this.#fail(input.id, error.stage, toFailure(error, 'HR_STAGE_FAILED'));
  }

  /** A record could not be read. */
  rejected(id: string, failure: Failure): void {
    this.#published++;
    this.#failed++;
    // Another document may be inside a stage that waits. The position then refers to that document.
    this.#addFailure({ id, at: 'connector', failure, position: -1 });
  }

  dropped(count: number): void {
    this.#published += count;
    this.#dropped += count;
  }

  /** All documents of a table leave the pipeline. */
  table(table: DocumentTable): void {
    const texts = this.#encoder === undefined ? [] : encodeTable(this.#encoder, table);
    if (texts === undefined) {
      for (let row = 0; row < table.count; row++) {
        this.position = table.position(row);
        this.emit(table.document(row), false);
        this.finished();
      }
      return;
    }
    for (const text of texts) this.#write(text);
    this.#count += table.count;
    this.#published += table.count;
    // A streaming indexer fails as a whole, and a run reports no more failed documents than this.
    const wanted = this.#withLengths ? table.count : Math.min(table.count, MAX_KEPT_FAILURES - this.#idCount);
    if (wanted <= 0) return;
    const ids = wanted === table.count ? table.ids : table.ids.slice(0, wanted);
    this.#writeIds(JSON.stringify(ids).slice(1, -1), wanted);
  }

  /** The state that `rollback` restores. It is not valid after a `take`. */
  mark(): PartMark {
    const count = this.#count;
    const published = this.#published;
    const created = this.#created;
    const dropped = this.#dropped;
    const failed = this.#failed;
    return {
      output: this.#output.mark(),
      ids: this.#ids.mark(),
      idCount: this.#idCount,
      lengths: this.#lengths.length,
      failures: this.#failures.length,
      counts: [count, published, created, dropped, failed],
    };
  }

  rollback({ output, ids, idCount, lengths, failures, counts }: PartMark): void {
    this.#output.rollback(output);
    this.#ids.rollback(ids);
    this.#idCount = idCount;
    this.#lengths.length = lengths;
    this.#failures.length = failures;
    [this.#count, this.#published, this.#created, this.#dropped, this.#failed] = counts;
  }

  /** Failed documents of the batch since the last `take` that can be read again from the batch. */
  get failedDocuments(): readonly PartFailure[] {
    return this.#failures.filter(({ position }) => position >= 0);
  }

  /** Everything since the last call. */
  take(sequence: number, last: boolean): OutcomePart {
    const published = this.#published;
    const created = this.#created;
    const dropped = this.#dropped;
    const failed = this.#failed;
    const failures = this.#failures;
    const count = this.#count;
    const part: OutcomePart = {
      sequence,
      last,
      published,
      created,
      dropped,
      failed,
      failures,
      count,
      bytes: this.#output.take(),
      ids: this.#takeIds(),
      lengths: this.#withLengths ? Uint32Array.from(this.#lengths) : undefined,
    };
    this.#count = this.#published = this.#created = this.#dropped = this.#failed = 0;
    this.#failures = [];
    this.#lengths = [];
    return part;
  }

  /** @param json this many ids as JSON, with commas between them */
  #writeIds(json: string, count: number): void {
    this.#ids.write(`${json},`);
    this.#idCount += count;
  }

  #takeIds(): string {
    const bytes = this.#ids.take();
    const list = `[${Buffer.from(bytes.buffer, 0, Math.max(0, bytes.length - 1)).toString()}]`;
    release(bytes);
    this.#idCount = 0;
    return list;
  }

  #write(text: string): void {
    this.#output.write(text);
    if (this.#withLengths) this.#lengths.push(Buffer.byteLength(text));
  }

  #fail(id: string, at: string, failure: Failure): void {
    this.#failed++;
    this.#addFailure({ id, at, failure, position: this.position });
  }

  /** A run reports no more failures than this. */
  #addFailure(failure: PartFailure): void {
    if (this.#failures.length < this.#maxFailures) this.#failures.push(failure);
  }
}

/** The texts of all documents; undefined if they must be encoded one by one. */
function encodeTable(encoder: DocumentEncoder, table: DocumentTable): string[] | undefined {
  try {
    return encoder.encodeTable?.(table);
  } catch {
    // Encoding one by one shows which document cannot be encoded. The others still succeed.
    return undefined;
  }
}
