import { performance } from 'node:perf_hooks';
import type { RecordSink } from '../component/connector.ts';
import type { DocumentEncoder } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable, TableState } from '../document/document-table.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import type { Pipeline, PipelineSink } from '../pipeline/pipeline.ts';
import { overdue, StageError } from '../pipeline/stage-error.ts';
import { decodeDocuments } from '../transport/document-wire.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import type { OutcomePart, PartFailure, SourceBatch } from '../transport/messages.ts';
import { release } from '../transport/release.ts';
import { ByteWriter } from './byte-writer.ts';
import { runGuarded } from './compute-guard.ts';
import { Decoders } from './decoders.ts';
import { MAX_KEPT_FAILURES } from './run-result.ts';

/** A part leaves at this many characters, or after this long, so that neither memory nor progress waits for a big batch. */
const PART_CHARACTERS = 2 * 1024 * 1024;
const PART_MILLIS = 250;
/** The clock is read about this often, and at least once in so many documents. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** A pass is about this long: then what is left is decoded again, which costs little beside it. */
const PASS_MILLIS = 500;
/** How many failures a part tells of; it counts them all. */
const PART_FAILURES = 100;

/** What is being processed, and what is done of the batch when it is. */
interface DocumentAtWork {
  readonly document: Document;
  readonly end: number;
}

interface TableAtWork {
  readonly document: undefined;
  readonly table: DocumentTable;
  readonly before: TableState;
  readonly end: number;
}

export interface BatchProcessorOptions {
  readonly pipeline: Pipeline;
  readonly runId: string;
  readonly encoder: DocumentEncoder | undefined;
  readonly lengths: boolean;
  /** How long the stages may compute on one document. */
  readonly computeMillis: number;
  readonly flow: FlowControl;
  readonly log: Logger;
  readonly post: (part: OutcomePart) => void;
}

/**
 * Does the work of a pipeline thread: decodes a batch, sends its documents through the stages, encodes what
 * comes out, and posts it in parts.
 */
export class BatchProcessor implements PipelineSink, RecordSink {
  private readonly options: BatchProcessorOptions;
  private decoders = new Decoders();
  private sequence = 0;
  /** What the decoder has given in this pass, and what of that, passes before this one included, is done with. */
  private seen = 0;
  private done = 0;
  private passStarted = 0;
  /** The rest of what the decoder gives in this pass is left for the next one. */
  private paused = false;
  /** What is being processed. */
  private current: DocumentAtWork | TableAtWork | undefined;
  private readonly output = new ByteWriter();
  private ids: string[] = [];
  private count = 0;
  private lengths: number[] = [];
  private published = 0;
  private created = 0;
  private dropped = 0;
  private failed = 0;
  private failures: PartFailure[] = [];
  private partStarted = 0;
  private lastLook = 0;
  private looksApart = 1;
  private untilLook = 1;
  /** Documents that came while a stage was waiting, or that a waiting pipeline takes all at once. */
  private backlog: { readonly document: Document; readonly from: number }[] = [];
  private waiting: Promise<void> | undefined;

  constructor(options: BatchProcessorOptions) {
    this.options = options;
  }

  /** Processes one batch. Rejects when the batch cannot be decoded to its end; what came before counts. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    this.sequence = sequence;
    this.done = 0;
    this.partStarted = this.lastLook = performance.now();
    this.untilLook = this.looksApart = 1;
    try {
      do {
        await this.pass(batch);
        this.options.flow.waitForRoom(sequence);
      } while (this.paused);
    } finally {
      await this.finishBacklog();
      this.flush(true);
      release(batch.kind === 'documents' ? batch.bytes : batch.chunk.bytes);
    }
  }

  /**
   * Decodes a batch and processes what of it is not done, as long as it has not taken too long altogether: a pass is
   * ended in the middle only when its last document has taken longer than a document may.
   */
  private async pass(batch: SourceBatch): Promise<void> {
    const { computeMillis } = this.options;
    const decode = await this.decoding(batch);
    this.seen = 0;
    this.paused = false;
    this.passStarted = performance.now();
    this.current = undefined;
    if (runGuarded(decode, computeMillis + PASS_MILLIS)) return;
    this.paused = true;
    // A decoder that was ended in the middle of something is not to be trusted.
    this.decoders = new Decoders();
    // Set while the work ran, which the compiler does not see.
    const current = this.current as DocumentAtWork | TableAtWork | undefined;
    if (current === undefined) {
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `A record takes longer than ${computeMillis / 1000} s to read`);
    }
    if (current.document !== undefined) this.failOverdue(current.document);
    else this.processRowByRow(current.table, current.before);
    this.done = current.end;
  }

  private async decoding(batch: SourceBatch): Promise<() => void> {
    if (batch.kind === 'documents') {
      return () => {
        for (const document of decodeDocuments(batch.bytes)) this.document(document);
      };
    }
    const { bytes, decoder: reference, position } = batch.chunk;
    const decoder = await this.decoders.get(reference);
    return () => decoder.decode(bytes, position, this);
  }

  document(document: Document): void {
    this.seen++;
    if (this.isDone()) return;
    document.setRunId(this.options.runId);
    this.processAs(document, 0, this.seen);
    this.flushIfDue(1);
  }

  table(table: DocumentTable): void {
    const start = this.seen;
    this.seen += table.count;
    if (this.isDone()) return;
    const { pipeline, runId } = this.options;
    table.fill('run_id', runId);
    const together = this.done <= start && this.waiting === undefined && pipeline.inOrder;
    let from = 0;
    if (together) {
      this.current = { document: undefined, table, before: table.save(), end: this.seen };
      from = pipeline.processTable(table);
    }
    if (from === pipeline.length && together) this.emitTable(table);
    else {
      for (let row = Math.max(0, this.done - start); row < table.count; row++) {
        this.processAs(table.document(row), from, start + row + 1);
      }
    }
    this.done = this.seen;
    this.flushIfDue(table.count);
  }

  /** Whether what has just come was processed by a pass before, or is left for the next, or for nobody. */
  private isDone(): boolean {
    return this.seen <= this.done || this.paused || this.options.flow.stopped;
  }

  /** @param end what is done of the batch when this document is */
  private processAs(document: Document, from: number, end: number): void {
    this.current = { document, end };
    this.processFrom(document, from);
    this.done = end;
  }

  /** Something in this table takes too long: row by row it shows what. */
  private processRowByRow(table: DocumentTable, before: TableState): void {
    table.restore(before);
    const { flow, computeMillis } = this.options;
    for (let row = 0; row < table.count && !flow.stopped; row++) {
      const document = table.document(row);
      if (!runGuarded(() => this.processFrom(document, 0), computeMillis)) this.failOverdue(document);
      this.flushIfDue(1);
    }
  }

  private failOverdue(document: Document): void {
    this.failedDocument(document, new StageError(this.options.pipeline.stageAtWork, overdue()));
  }

  /** Sends a document through the stages from a number on; what comes while a stage waits, waits too. */
  private processFrom(document: Document, from: number): void {
    const { pipeline } = this.options;
    if (this.waiting !== undefined || !pipeline.inOrder) this.backlog.push({ document, from });
    else this.waiting = pipeline.processOne(document, this, from);
  }

  reject({ place, message, id }: Parameters<RecordSink['reject']>[0]): void {
    this.seen++;
    if (this.isDone()) return;
    this.published++;
    this.done = this.seen;
    this.fail(id ?? place, 'connector', { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
    this.flushIfDue(1);
  }

  warn(message: string): void {
    this.options.log.warn(message);
  }

  emit(document: Document, isChild: boolean): void {
    if (isChild) this.created++;
    if (document.dropped) {
      this.dropped++;
      return;
    }
    const { encoder } = this.options;
    if (encoder !== undefined) {
      let text: string;
      try {
        text = encoder.encode(document);
      } catch (error) {
        this.fail(document.id, 'indexer', toFailure(error, 'HR_INDEXER_FAILED'));
        return;
      }
      this.write(text);
    }
    this.count++;
    if (this.options.lengths || this.ids.length < MAX_KEPT_FAILURES) this.ids.push(document.id);
  }

  private emitTable(table: DocumentTable): void {
    const { encoder, lengths } = this.options;
    if (encoder !== undefined) {
      const texts = encodeTable(encoder, table);
      if (texts === undefined) {
        for (let row = 0; row < table.count; row++) {
          const document = table.document(row);
          this.emit(document, false);
          this.finished();
        }
        return;
      }
      for (const text of texts) this.write(text);
    }
    this.count += table.count;
    this.published += table.count;
    // A streaming indexer fails as a whole, and nobody is told of more failed documents than these.
    const wanted = lengths ? table.count : Math.min(table.count, MAX_KEPT_FAILURES - this.ids.length);
    for (let row = 0; row < wanted; row++) this.ids.push(table.ids[row] as string);
  }

  private write(text: string): void {
    this.output.write(text);
    if (this.options.lengths) this.lengths.push(Buffer.byteLength(text));
  }

  finished(): void {
    this.published++;
  }

  failedDocument(input: Document, error: StageError): void {
    this.published++;
    this.fail(input.id, error.stage, toFailure(error, 'HR_STAGE_FAILED'));
  }

  private fail(id: string, at: string, failure: Failure): void {
    this.failed++;
    if (this.failures.length < PART_FAILURES) this.failures.push({ id, at, failure });
  }

  private async finishBacklog(): Promise<void> {
    while (this.waiting !== undefined || this.backlog.length > 0) {
      await this.waiting;
      this.waiting = undefined;
      const { pipeline, flow } = this.options;
      const { backlog } = this;
      this.backlog = [];
      // Small slices, so that parts leave in time and a stop is noticed.
      const slice = pipeline.inOrder ? 1 : 256;
      for (let i = 0; i < backlog.length && !flow.stopped; i += slice) {
        const documents = backlog.slice(i, i + slice).map(({ document }) => document);
        if (pipeline.inOrder) await this.processGuarded(documents[0] as Document, backlog[i]?.from);
        else await pipeline.process(documents, this, () => flow.stopped);
        // Where stages wait, the clock costs nothing.
        this.untilLook = 1;
        this.flushIfDue(1);
      }
    }
  }

  private processGuarded(document: Document, from = 0): Promise<void> | undefined {
    const { pipeline, computeMillis } = this.options;
    let waiting: Promise<void> | undefined;
    const work = () => {
      waiting = pipeline.processOne(document, this, from);
    };
    if (!runGuarded(work, computeMillis)) this.failOverdue(document);
    return waiting;
  }

  /** @param documents how many have come since the last call */
  private flushIfDue(documents: number): void {
    this.untilLook -= documents;
    if (this.output.characters < PART_CHARACTERS && this.untilLook > 0) return;
    const now = performance.now();
    // Reading the clock costs as much as a field: fast documents are asked rarely, slow ones each time.
    const millisPerDocument = (now - this.lastLook) / this.looksApart;
    // At most twice as far as before, because documents that were fast may become slow.
    const apart = Math.min(2 * this.looksApart, MAX_LOOKS_APART, Math.floor(LOOK_MILLIS / millisPerDocument));
    this.looksApart = Math.max(1, apart);
    this.untilLook = this.looksApart;
    this.lastLook = now;
    if (now - this.passStarted > PASS_MILLIS) this.paused = true;
    if (this.output.characters < PART_CHARACTERS && now - this.partStarted < PART_MILLIS) return;
    this.flush(false);
    // Waiting for room is no computing: it is done between passes.
    if (this.options.flow.full) this.paused = true;
    this.partStarted = now;
  }

  private flush(last: boolean): void {
    const { lengths, post } = this.options;
    post({
      sequence: this.sequence,
      last,
      published: this.published,
      created: this.created,
      dropped: this.dropped,
      failed: this.failed,
      failures: this.failures,
      count: this.count,
      bytes: this.output.take(),
      ids: JSON.stringify(this.ids),
      lengths: lengths ? Uint32Array.from(this.lengths) : undefined,
    });
    this.count = this.published = this.created = this.dropped = this.failed = 0;
    this.failures = [];
    this.ids = [];
    this.lengths = [];
  }
}

/** The texts of all documents; undefined when they have to be encoded one by one. */
function encodeTable(encoder: DocumentEncoder, table: DocumentTable): string[] | undefined {
  try {
    return encoder.encodeTable?.(table);
  } catch {
    // One by one it shows which document cannot be encoded, and the others can.
    return undefined;
  }
}
