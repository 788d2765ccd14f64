import type { RecordSink } from '../component/connector.ts';
import type { DocumentEncoder } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { type Failure, HeadraceError, messageOf, toFailure } from '../errors/headrace-error.ts';
import type { FailureBudget } from '../failures/failure-budget.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { decodeDocuments } from '../transport/document-wire.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import { release } from '../transport/release.ts';
import { runGuarded } from './compute-guard.ts';
import { type ComputeLimit, processorMillis } from './compute-limit.ts';
import { Decoders } from './decoders.ts';
import { readInputs } from './input-reader.ts';
import { PartBuilder } from './part-builder.ts';
import type { EncodedInput, InputBatch, OutcomePart, SourceBatch } from './pipeline-messages.ts';
import { following, type WaitingDocument } from './waiting-documents.ts';

/** A part leaves after this long, so that progress does not wait for a big batch. */
const PART_MILLIS = 250;
/** The clock is read about this often, and at least once in so many documents. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** A pass is this many times as long as what it takes to decode again what is done. */
const PASS_FOR_SKIPPING = 10;
/**
 * A pass is ended after this part of what a document may compute: then the document that it was at is processed alone,
 * with all its time. So a document that uses up its limit costs little more than that, wherever in a pass it comes.
 */
const PASS_PART = 1 / 16;
/** How many times as long as its limit the reading of a record may take where the thread gets no processor. */
const STARVED_READING = 16;
/** How many documents are decoded at a time to be processed alone. */
const MAX_HELD = 256;

export interface BatchProcessorOptions {
  readonly pipeline: Pipeline;
  readonly runId: string;
  readonly encoder: DocumentEncoder | undefined;
  readonly lengths: boolean;
  /** How long the stages may compute on one document. */
  readonly limit: ComputeLimit;
  readonly flow: FlowControl;
  readonly failureBudget: FailureBudget;
  readonly log: Logger;
  readonly post: (part: OutcomePart) => void;
  /** Told, before the last part, of a batch that cannot be decoded to its end: whoever sees the end knows how it came. */
  readonly broken: (sequence: number, failure: Failure) => void;
}

/** What is going on. */
interface Begun {
  /** The number of its first document. */
  readonly at: number;
  /** How far the part was. */
  readonly mark: ReturnType<PartBuilder['mark']>;
  readonly tableStages: number;
  readonly tableEnd: number;
}

/**
 * Does the work of a pipeline thread: decodes a batch, sends its documents through the stages, encodes what
 * comes out, and posts it in parts.
 *
 * It goes over a batch in passes. V8 ends one, wherever it is, when it takes too long; what was begun is taken back, and
 * the next pass decodes the batch again and continues after what is done. From then on each document of the batch is
 * processed alone, with all the time that a document has, which shows the one that takes too long. A pass also ends when
 * a part is to leave: posting and waiting for space are no work that may be ended in the middle.
 */
export class BatchProcessor implements RecordSink {
  private readonly options: BatchProcessorOptions;
  private readonly part: PartBuilder;
  private decoders = new Decoders();
  private sequence = 0;
  private batch: InputBatch | undefined;
  /** Whether the batch can be decoded up to what is done. */
  private readable = true;
  /** How many documents and bad records the decoder has given in this pass. */
  private seen = 0;
  /** How many of the batch are done with. */
  private done = 0;
  private begun: Begun | undefined;
  /** Whether the documents of the batch that are left are processed alone: a pass was ended at one of them. */
  private alone = false;
  /** Whether tables are processed row by row: one was ended, and since then batches are slow. */
  private byRow = false;
  /** How often in a row a pass was ended before it had decoded anything. */
  private patience = 0;
  /** Documents that are to be processed alone. */
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
  private backlog: WaitingDocument[] = [];
  private waiting: Promise<void> | undefined;

  constructor(options: BatchProcessorOptions) {
    this.options = options;
    this.part = new PartBuilder(
      options.encoder,
      options.lengths,
      () => this.relieve(),
      options.failureBudget.maxFailures,
    );
  }

  /** Processes one batch. Of one that cannot be decoded to its end, what came before counts. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    this.sequence = sequence;
    if (batch.kind === 'encoded') {
      this.passOn(batch);
      return;
    }
    this.batch = batch;
    this.readable = true;
    this.done = 0;
    this.alone = false;
    this.patience = 0;
    this.skippingMillis = 0;
    const started = performance.now();
    this.partStarted = started;
    let broken: Failure | undefined;
    try {
      do {
        await this.pass(batch);
        await this.processHeld();
        if (this.paused) await this.postIfDue();
      } while (this.paused);
    } catch (error) {
      broken = toFailure(error, 'HR_SOURCE_UNREADABLE');
    }
    // What was decoded before that is on its way through the stages all the same.
    await this.finishBacklog();
    if (!this.alone && performance.now() - started < this.options.limit.millis * PASS_PART) this.byRow = false;
    if (broken !== undefined) this.options.broken(sequence, broken);
    await this.post(true);
    this.batch = undefined;
    release(batch.kind === 'documents' ? batch.bytes : batch.chunk.bytes);
  }

  /** Runs what computes within the time that a document has; takes back what it did when it is ended. */
  guarded(work: () => void): boolean {
    const mark = this.part.mark();
    if (this.options.limit.runOnce(work)) return true;
    this.part.rollback(mark);
    return false;
  }

  /** Documents that are encoded already go to the indexer as they are. */
  private passOn({ bytes, count, ids, lengths }: EncodedInput): void {
    const { sequence } = this;
    const nothing = { created: 0, dropped: 0, failed: 0, failures: [] };
    this.options.post({ ...nothing, sequence, last: true, published: count, count, bytes, ids, lengths });
  }

  /** Decodes the batch and processes what is not done, up to a pause. */
  private async pass(batch: InputBatch): Promise<void> {
    const decode = await this.decoding(batch);
    const before = this.done;
    this.seen = 0;
    this.paused = false;
    this.begun = undefined;
    this.passStarted = 0;
    this.lastLook = performance.now();
    const limit = this.passLimit();
    const processorBefore = processorMillis();
    if (runGuarded(decode, limit + 2 * PART_MILLIS + 2 * PASS_FOR_SKIPPING * this.skippingMillis)) {
      this.patience = 0;
      return;
    }
    this.paused = true;
    // A decoder that was ended in the middle of something is not to be trusted.
    this.decoders = new Decoders();
    // Set while the work ran, which the compiler does not see.
    const begun = this.begun as BatchProcessor['begun'];
    const held = this.held as BatchProcessor['held'];
    if (begun !== undefined && begun.at === this.done) {
      this.part.rollback(begun.mark);
      const { statisticsMark } = this.options.pipeline;
      statisticsMark.restore();
      statisticsMark.uncount(begun.tableStages, begun.tableEnd - begun.at);
      this.alone = true;
    } else if (held === undefined && this.done === before) {
      this.losePatience(processorMillis() - processorBefore);
    } else this.patience = 0;
  }

  /** How long a pass may take on the clock, besides what it takes to decode again what is done. */
  private passLimit(): number {
    const { millis } = this.options.limit;
    if (this.patience > 1) return STARVED_READING * millis;
    return this.alone || this.patience > 0 ? millis : PASS_PART * millis;
  }

  /** A pass was ended while it read one record. Throws when that has had all its time. */
  private losePatience(usedMillis: number): void {
    const { millis } = this.options.limit;
    const overdue = this.passLimit() >= millis && usedMillis >= millis;
    if (overdue || this.patience > 1) {
      this.readable = false;
      const message = `A record takes longer than ${millis / 1000} s to read (worker.maxProcessingSecs)`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', message);
    }
    this.patience = this.passLimit() < millis ? 1 : 2;
  }

  private async decoding(batch: InputBatch): Promise<() => void> {
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
    if (this.alone) {
      this.hold(document);
      return;
    }
    this.begin();
    this.processFrom(document, 0, at);
    this.done = this.seen;
    this.look(1);
  }

  table(table: DocumentTable): void {
    const start = this.seen;
    this.seen += table.count;
    if (!this.isNext(this.seen) || this.waitsForHeld()) return;
    const { pipeline, runId, flow } = this.options;
    table.fill('run_id', runId);
    const first = Math.max(0, this.done - start);
    if (this.alone) {
      this.held = rowsOf(table, first);
      this.paused = true;
      return;
    }
    let from = 0;
    if (first === 0 && !this.byRow && this.waiting === undefined && pipeline.inOrder) {
      this.begin();
      // Should it be ended, it stays so.
      this.byRow = true;
      from = pipeline.processTable(table);
      this.byRow = false;
      if (from === pipeline.length) {
        this.part.table(table, start);
        this.done = this.seen;
        this.look(table.count);
        return;
      }
    }
    let row = first;
    for (; row < table.count && !this.paused && !flow.stopped; row++) {
      this.begin(from, this.seen);
      this.processFrom(table.document(row), from, start + row);
      this.done = start + row + 1;
      this.look(1);
    }
    pipeline.statisticsMark.uncount(from, table.count - row);
  }

  reject({ place, message, id }: Parameters<RecordSink['reject']>[0]): void {
    this.seen++;
    if (!this.isNext(this.seen) || this.waitsForHeld()) return;
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

  /**
   * What follows is done when `done` has been raised behind it; until then it can be taken back.
   * @param tableStages through how many stages it has gone already as a row of a table, which ends at `tableEnd`
   */
  private begin(tableStages = 0, tableEnd = this.done): void {
    this.begun = { at: this.done, mark: this.part.mark(), tableStages, tableEnd };
    this.options.pipeline.statisticsMark.set();
  }

  /** Keeps a document that is to be processed alone, until there are enough of them. */
  private hold(document: Document): void {
    const held = (this.held ?? []) as Document[];
    held.push(document);
    this.held = held;
    if (held.length >= MAX_HELD) this.paused = true;
  }

  /** Whether what has just come has to wait for documents before it, which are processed alone when the pass is over. */
  private waitsForHeld(): boolean {
    if (this.held === undefined) return false;
    this.paused = true;
    return true;
  }

  /** One of these takes too long, or did when it came after many others: each alone, it shows which. */
  private async processHeld(): Promise<void> {
    const { held } = this;
    if (held === undefined) return;
    this.held = undefined;
    const { flow, limit, pipeline } = this.options;
    for (const document of held) {
      if (flow.stopped) return;
      const mark = this.part.mark();
      pipeline.statisticsMark.set();
      const at = this.done;
      const outcome = limit.run(() => this.processFrom(document, 0, at));
      if (outcome !== 'done') this.part.rollback(mark);
      if (outcome === 'starved') {
        // Stages have changed it: the next pass decodes it again.
        pipeline.statisticsMark.restore();
        this.paused = true;
        return;
      }
      if (outcome === 'overdue') this.failOverdue(document, at);
      this.done++;
      await this.postIfDue();
    }
  }

  private failOverdue(document: Document, at: number): void {
    this.part.position = at;
    this.part.failedDocument(document, this.options.pipeline.overdue());
  }

  /** Sends a document through the stages from a number on; what comes while a stage waits, waits too. */
  private processFrom(document: Document, from: number, at: number): void {
    const { pipeline } = this.options;
    if (this.waiting !== undefined || !pipeline.inOrder) {
      this.backlog.push({ document, from, at });
      return;
    }
    this.part.position = at;
    this.waiting = pipeline.processOne(document, this.part, from);
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
        const some = backlog.slice(i, i + slice);
        if (pipeline.inOrder) await this.processOne(some[0] as WaitingDocument);
        else {
          const documents = some.map(({ document }) => document);
          await pipeline.process(documents, following(this.part, some), () => flow.stopped);
        }
        await this.postIfDue();
      }
    }
  }

  private processOne({ document, from, at }: WaitingDocument): Promise<void> | undefined {
    const { pipeline } = this.options;
    this.part.position = at;
    let waiting: Promise<void> | undefined;
    const work = () => {
      waiting = pipeline.processOne(document, this.part, from);
    };
    if (!this.guarded(work)) this.failOverdue(document, at);
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

  private async postIfDue(): Promise<void> {
    if (this.part.full || performance.now() - this.partStarted >= PART_MILLIS) await this.relieve();
  }

  private async relieve(): Promise<boolean> {
    const { flow } = this.options;
    await this.post(false);
    flow.waitForSpace(this.sequence);
    this.partStarted = performance.now();
    return !flow.stopped;
  }

  private async post(last: boolean): Promise<void> {
    await this.findInputs();
    const part = this.part.take(this.sequence, last);
    this.options.post(last && this.options.flow.stopped ? { ...part, cut: true } : part);
  }

  /** Gives failures of the part the documents that the decoder gave, as long as somebody wants to know. */
  private async findInputs(): Promise<void> {
    const { failureBudget, limit } = this.options;
    const { batch } = this;
    if (batch === undefined || !this.readable || failureBudget.closed) return;
    const failures = this.part.failedDocuments;
    if (failures.length === 0) return;
    const positions = new Set(failures.map(({ position }) => position));
    try {
      const content = await readInputs(batch, positions, failureBudget, limit.millis);
      for (const failure of failures) failure.content = content(failure.position);
    } catch (error) {
      // They are told of all the same.
      this.options.log.warn(`Failed documents cannot be kept: ${messageOf(error)}`);
    }
  }
}

/** The documents of a table from a row on, each made when it is asked for. */
function* rowsOf(table: DocumentTable, first: number): Generator<Document> {
  for (let row = first; row < table.count; row++) yield table.document(row);
}
