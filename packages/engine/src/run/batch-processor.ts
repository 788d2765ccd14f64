import { performance } from 'node:perf_hooks';
import type { RecordSink } from '../component/connector.ts';
import type { DocumentEncoder } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { overdue, StageError } from '../pipeline/stage-error.ts';
import { decodeDocuments } from '../transport/document-wire.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import type { OutcomePart, SourceBatch } from '../transport/messages.ts';
import { release } from '../transport/release.ts';
import { runGuarded } from './compute-guard.ts';
import { Decoders } from './decoders.ts';
import { PartBuilder } from './part-builder.ts';

/** A part leaves after this long, so that progress does not wait for a big batch. */
const PART_MILLIS = 250;
/** The clock is read about this often, and at least once in so many documents. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** A pass is this many times as long as what it takes to decode again what is done. */
const PASS_FOR_SKIPPING = 10;

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
 *
 * It goes over a batch in passes. V8 ends one, wherever it is, when it takes longer than a document may; whatever was
 * going on is taken back, and the next pass decodes the batch again and goes on behind what is done. A pass also ends
 * when a part is to leave: posting and waiting for room are no work that may be ended in the middle.
 */
export class BatchProcessor implements RecordSink {
  private readonly options: BatchProcessorOptions;
  private readonly part: PartBuilder;
  private decoders = new Decoders();
  private sequence = 0;
  /** How many documents and bad records the decoder has given in this pass. */
  private seen = 0;
  /** How many of the batch are done with. */
  private done = 0;
  /** What is going on began here: the number of its first document, and how far the part was. */
  private begun: { readonly at: number; readonly mark: ReturnType<PartBuilder['mark']> } | undefined;
  /** The document, or the first of the table, with which a pass was ended. */
  private suspect = -1;
  /** Documents that are to be processed alone, each with all the time that a document has. */
  private held: Iterable<Document> | undefined;
  /** The rest of what the decoder gives in this pass is left for the next one. */
  private paused = false;
  private passStarted = 0;
  private passMillis = 0;
  private skippingMillis = 0;
  private partStarted = 0;
  private lastLook = 0;
  private looksApart = 1;
  private untilLook = 1;
  /** Documents that came while a stage was waiting, or that a waiting pipeline takes all at once. */
  private backlog: { readonly document: Document; readonly from: number }[] = [];
  private waiting: Promise<void> | undefined;

  constructor(options: BatchProcessorOptions) {
    this.options = options;
    this.part = new PartBuilder(options.encoder, options.lengths, () => this.relieve());
  }

  /** Processes one batch. Rejects when the batch cannot be decoded to its end; what came before counts. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    this.sequence = sequence;
    this.done = 0;
    this.suspect = -1;
    this.skippingMillis = 0;
    this.partStarted = performance.now();
    try {
      do {
        await this.pass(batch);
        this.processHeld();
        if (this.paused) this.postIfDue();
      } while (this.paused);
      await this.finishBacklog();
    } finally {
      this.backlog = [];
      this.post(true);
      release(batch.kind === 'documents' ? batch.bytes : batch.chunk.bytes);
    }
  }

  /** Runs what computes within the time that a document has; takes back what it did when it is ended. */
  guarded(work: () => void): boolean {
    const mark = this.part.mark();
    if (runGuarded(work, this.options.computeMillis + PART_MILLIS)) return true;
    this.part.rollback(mark);
    return false;
  }

  /** Decodes the batch and processes what is not done, up to a pause. */
  private async pass(batch: SourceBatch): Promise<void> {
    const { computeMillis } = this.options;
    const decode = await this.decoding(batch);
    const before = this.done;
    this.seen = 0;
    this.paused = false;
    this.begun = undefined;
    this.passStarted = 0;
    this.lastLook = performance.now();
    if (runGuarded(decode, computeMillis + 2 * PART_MILLIS + 2 * PASS_FOR_SKIPPING * this.skippingMillis)) return;
    this.paused = true;
    // A decoder that was ended in the middle of something is not to be trusted.
    this.decoders = new Decoders();
    // Set while the work ran, which the compiler does not see.
    const begun = this.begun as BatchProcessor['begun'];
    if (begun !== undefined && begun.at === this.done) {
      this.part.rollback(begun.mark);
      this.suspect = begun.at;
    } else if (this.done === before) {
      const message = `A record takes longer than ${computeMillis / 1000} s to read (worker.maxProcessingSecs)`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', message);
    }
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
    const at = this.seen++;
    if (!this.isNext(this.seen)) return;
    document.setRunId(this.options.runId);
    if (at === this.suspect) {
      this.hold([document]);
      return;
    }
    this.begin();
    this.processFrom(document, 0);
    this.done = this.seen;
    this.look(1);
  }

  table(table: DocumentTable): void {
    const start = this.seen;
    this.seen += table.count;
    if (!this.isNext(this.seen)) return;
    const { pipeline, runId, flow } = this.options;
    table.fill('run_id', runId);
    const first = Math.max(0, this.done - start);
    if (this.suspect >= start && this.suspect < this.seen) {
      this.hold(rowsOf(table, first));
      return;
    }
    let from = 0;
    if (first === 0 && this.waiting === undefined && pipeline.inOrder) {
      this.begin();
      from = pipeline.processTable(table);
      if (from === pipeline.length) {
        this.part.table(table);
        this.done = this.seen;
        this.look(table.count);
        return;
      }
    }
    for (let row = first; row < table.count && !this.paused && !flow.stopped; row++) {
      this.begin();
      this.processFrom(table.document(row), from);
      this.done = start + row + 1;
      this.look(1);
    }
  }

  reject({ place, message, id }: Parameters<RecordSink['reject']>[0]): void {
    this.seen++;
    if (!this.isNext(this.seen)) return;
    this.begin();
    this.part.rejected(id ?? place, { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
    this.done = this.seen;
    this.look(1);
  }

  warn(message: string): void {
    this.options.log.warn(message);
  }

  /** Whether what has just come is to be processed now: not done by a pass before, nor left for the next, or for nobody. */
  private isNext(end: number): boolean {
    if (end <= this.done || this.paused || this.options.flow.stopped) return false;
    if (this.passStarted === 0) {
      // Only now: what was decoded again before is no work of the stages.
      const now = performance.now();
      this.skippingMillis = this.done === 0 ? 0 : now - this.lastLook;
      this.passMillis = Math.max(PART_MILLIS, PASS_FOR_SKIPPING * this.skippingMillis);
      this.passStarted = this.lastLook = now;
      this.untilLook = this.looksApart = 1;
    }
    return true;
  }

  /** What follows is done when `done` has been raised behind it; until then it can be taken back. */
  private begin(): void {
    this.begun = { at: this.done, mark: this.part.mark() };
  }

  private hold(documents: Iterable<Document>): void {
    this.held = documents;
    this.paused = true;
  }

  /** One of these takes too long, or did when it came behind many others: each alone, it shows which. */
  private processHeld(): void {
    const { held } = this;
    if (held === undefined) return;
    this.held = undefined;
    this.suspect = -1;
    for (const document of held) {
      if (this.options.flow.stopped) return;
      const mark = this.part.mark();
      if (!runGuarded(() => this.processFrom(document, 0), this.options.computeMillis)) {
        this.part.rollback(mark);
        this.failOverdue(document);
      }
      this.done++;
      this.postIfDue();
    }
  }

  private failOverdue(document: Document): void {
    this.part.failedDocument(document, new StageError(this.options.pipeline.stageAtWork, overdue()));
  }

  /** Sends a document through the stages from a number on; what comes while a stage waits, waits too. */
  private processFrom(document: Document, from: number): void {
    const { pipeline } = this.options;
    if (this.waiting !== undefined || !pipeline.inOrder) this.backlog.push({ document, from });
    else this.waiting = pipeline.processOne(document, this.part, from);
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
        if (pipeline.inOrder) await this.processOne(documents[0] as Document, backlog[i]?.from ?? 0);
        else await pipeline.process(documents, this.part, () => flow.stopped);
        this.postIfDue();
      }
    }
  }

  private processOne(document: Document, from: number): Promise<void> | undefined {
    const { pipeline } = this.options;
    let waiting: Promise<void> | undefined;
    const work = () => {
      waiting = pipeline.processOne(document, this.part, from);
    };
    if (!this.guarded(work)) this.failOverdue(document);
    return waiting;
  }

  /**
   * Ends the pass when it is time for that.
   * @param documents how many have come since the last call
   */
  private look(documents: number): void {
    this.untilLook -= documents;
    if (this.part.full) this.paused = true;
    if (this.untilLook > 0) return;
    const now = performance.now();
    // Reading the clock costs as much as a field: fast documents are asked rarely, slow ones each time.
    const millisPerDocument = (now - this.lastLook) / this.looksApart;
    // At most twice as far as before, because documents that were fast may become slow.
    const apart = Math.min(2 * this.looksApart, MAX_LOOKS_APART, Math.floor(LOOK_MILLIS / millisPerDocument));
    this.looksApart = Math.max(1, apart);
    this.untilLook = this.looksApart;
    this.lastLook = now;
    if (now - this.passStarted > this.passMillis) this.paused = true;
  }

  private postIfDue(): void {
    if (this.part.full || performance.now() - this.partStarted >= PART_MILLIS) this.relieve();
  }

  private relieve(): boolean {
    const { flow } = this.options;
    this.post(false);
    flow.waitForRoom(this.sequence);
    this.partStarted = performance.now();
    return !flow.stopped;
  }

  private post(last: boolean): void {
    this.options.post(this.part.take(this.sequence, last));
  }
}

/** The documents of a table from a row on, each made when it is asked for. */
function* rowsOf(table: DocumentTable, first: number): Generator<Document> {
  for (let row = first; row < table.count; row++) yield table.document(row);
}
