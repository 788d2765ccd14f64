import type { RecordSink } from '../component/connector.ts';
import { checkDecoded, checkNumber, checkRejected, lateSink } from '../component/published.ts';
import type { Document } from '../document/document.ts';
import { DocumentList, type DocumentRows } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { isPlainText, type SourceText } from '../document/source-text.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { TablePass } from '../pipeline/table-pass.ts';
import { release } from '../transport/release.ts';
import { bytesOf, keepsRunIds, knownDocuments, listsIds } from './chunk-marks.ts';
import { runGuarded } from './compute-guard.ts';
import { type ComputeLimit, processorMillis } from './compute-limit.ts';
import { Decoders, decoding } from './decoders.ts';
import { weightOf } from './document-weight.ts';
import type { PartBuilder } from './part-builder.ts';
import { PartPoster, type PartPosterOptions } from './part-poster.ts';
import { PassClock } from './pass-clock.ts';
import { PASS_PART, PassLimit } from './pass-limit.ts';
import { PipelineFeeder } from './pipeline-feeder.ts';
import type { InputBatch, SourceBatch } from './pipeline-messages.ts';

/** The number of documents that are decoded at a time if each document is processed alone. */
const MAX_HELD = 256;
/** The number of documents that are processed together if they are decoded one at a time. */
const MAX_COLLECTED = 256;
/**
 * The weight of the documents that are processed together. All their values live at the same time. If they fill a large
 * part of the young generation, each collection copies them. 256 documents of 20 fields took up to twice as long as 50,
 * and filled the old generation with garbage.
 */
const MAX_COLLECTED_WEIGHT = 1024;
/** Heavy documents form groups of at least this number up to a larger weight, because each group has a cost. */
const FEW_COLLECTED = 16;
const MAX_WEIGHT_OF_FEW = 6144;

export interface BatchProcessorOptions extends Omit<PartPosterOptions, 'inputMillis'> {
  readonly pipeline: Pipeline;
  readonly runId: string;
  /** The time limit of the stages for one document. */
  readonly limit: ComputeLimit;
  /** Called before the last part of a batch that cannot be decoded completely, with the reason. */
  readonly broken: (sequence: number, failure: Failure) => void;
}

/** The start of some work, and the state that a rollback restores. */
interface Begun {
  /** The position in the batch of the first document of the work. */
  readonly at: number;
  /** The state of the part at the start of the work. */
  readonly mark: ReturnType<PartBuilder['mark']>;
  readonly tableStages: number;
  readonly tableEnd: number;
}

/**
 * Does the work of a pipeline thread: decodes a batch, sends its documents through the stages, encodes the result, and
 * posts it in parts.
 * Processes the batch in passes. V8 interrupts a pass that exceeds the time limit, at any instruction. The processor
 * then rolls back the work in progress. The next pass decodes the batch again and continues after the finished
 * documents. From then on, each document of the batch is processed alone with the full time limit of a document, which
 * shows the document that takes too long. A pass also ends when a part is ready to be posted, because V8 must not
 * interrupt the code that posts a part and waits for space.
 */
export class BatchProcessor implements RecordSink {
  readonly #options: BatchProcessorOptions;
  readonly #poster: PartPoster;
  readonly #part: PartBuilder;
  readonly #feeder: PipelineFeeder;
  readonly #clock = new PassClock();
  readonly #limit: PassLimit;
  /** True if the id of the run, a text of each document, needs no escapes. */
  readonly #plainRunId: boolean;
  #decoders = new Decoders();
  #batch: InputBatch | undefined;
  /** The number of documents and unreadable records that the decoder has returned in this pass. */
  #seen = 0;
  /** True while a decoder may use the sink. */
  #isDecoding = false;
  /** The document that a decoder returned last. */
  #last: Document | undefined;
  /** The number of finished documents of the batch. */
  #done = 0;
  #begun: Begun | undefined;
  readonly #tablePass: TablePass;
  /** The number of processed tables. */
  #tables = 0;
  /** Documents that were decoded one at a time and will be processed together. */
  #collected: DocumentList | undefined;
  #collectedWeight = 0;
  /**
   * True if tables are processed row by row. Set after V8 has interrupted the work on a table: the work is too slow for
   * whole tables.
   */
  #byRow = false;
  /** Documents that will be processed alone, after this pass. */
  #held: Iterable<Document> | undefined;
  /** True if the next pass must process the other documents of the decoder. */
  #paused = false;

  constructor(options: BatchProcessorOptions) {
    const { pipeline, flow, limit } = options;
    this.#options = options;
    this.#plainRunId = isPlainText([options.runId]);
    this.#limit = new PassLimit(limit.millis);
    this.#poster = new PartPoster({ ...options, inputMillis: limit.millis });
    this.#part = this.#poster.part;
    this.#feeder = new PipelineFeeder({
      pipeline,
      sink: this.#part,
      stopped: () => flow.stopped,
      guard: (work, moreMillis) => limit.runOnce(work, moreMillis),
      progressed: () => this.#poster.postIfDue(),
    });
    this.#tablePass = pipeline.tablePass(this.#part, this.#feeder);
  }

  /** Processes one batch. If the batch cannot be decoded completely, the documents before the error are processed. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    if (batch.kind === 'encoded') {
      this.#poster.passOn(sequence, batch);
      return;
    }
    this.#batch = batch;
    this.#done = 0;
    this.#limit.startBatch();
    this.#clock.startBatch();
    this.#poster.startBatch(sequence, batch);
    const started = performance.now();
    let broken: Failure | undefined;
    try {
      do {
        await this.#pass(batch);
        await this.#processHeld();
        if (this.#paused) await this.#poster.postIfDue();
      } while (this.#paused);
    } catch (error) {
      broken = toFailure(error, 'HR_SOURCE_UNREADABLE');
    }
    // Documents that were decoded before the error still pass through the stages.
    await this.#feeder.finish();
    if (!this.#limit.isAlone && performance.now() - started < this.#options.limit.millis * PASS_PART)
      this.#byRow = false;
    if (broken !== undefined) this.#options.broken(sequence, broken);
    await this.#poster.finishBatch();
    this.#batch = undefined;
    bytesOf(batch).forEach(release);
  }

  /** Runs work within the time limit of a document. If V8 interrupts the work, its effects are rolled back. */
  guarded(work: () => void): boolean {
    const mark = this.#part.mark();
    if (this.#options.limit.runOnce(work)) return true;
    this.#part.rollback(mark);
    return false;
  }

  /** Decodes the batch and processes the unfinished documents, up to a pause. */
  async #pass(batch: InputBatch): Promise<void> {
    const decode = await this.#decoding(batch);
    const before = this.#done;
    this.#seen = 0;
    this.#paused = false;
    this.#begun = undefined;
    this.#collected = undefined;
    this.#collectedWeight = 0;
    this.#clock.startPass();
    const processorBefore = processorMillis();
    const isDecoded = runGuarded(decode, this.#limit.millis + this.#clock.allowanceMillis);
    // V8 executes no `finally` in code that it interrupts.
    this.#isDecoding = false;
    if (isDecoded) {
      this.#limit.noteRead();
      return;
    }
    this.#paused = true;
    // If V8 interrupted the decoder, its state is undefined, so it is replaced.
    this.#decoders = new Decoders();
    // The fields were set while the work ran. The compiler does not see this.
    const begun = this.#begun as Begun | undefined;
    const held = this.#held as Iterable<Document> | undefined;
    if (begun !== undefined && begun.at === this.#done) {
      this.#rollback(begun);
      this.#limit.noteEndedAtDocument();
    } else if (held !== undefined || this.#done !== before) this.#limit.noteRead();
    else if (!this.#limit.noteEndedUnread(processorMillis() - processorBefore)) {
      this.#poster.omitInputs();
      const seconds = this.#options.limit.millis / 1000;
      const message = `Reading a record took longer than ${seconds} s (worker.maxProcessingSecs)`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', message);
    }
  }

  async #decoding(batch: InputBatch): Promise<() => void> {
    const decode = await decoding(batch, this, (reference) => this.#decoders.get(reference));
    return () => {
      this.#isDecoding = true;
      try {
        decode();
        this.#checkNumber(batch);
      } finally {
        this.#isDecoding = false;
        // If the bytes have an error, the documents before it are still processed.
        this.#sendCollected();
      }
    };
  }

  document(document: Document, source?: SourceText): void {
    this.#checkSink();
    checkDecoded(this.#decoderName, document, this.#last);
    this.#last = document;
    const at = this.#seen++;
    if (!this.#isNext(this.#seen)) return;
    if (!keepsRunIds(this.#batch)) document.setRunId(this.#options.runId);
    if (this.#limit.isAlone) {
      this.#hold(document);
      return;
    }
    if (this.#mayUseTables) {
      this.#collected ??= new DocumentList(at);
      this.#collected.add(document, this.#plainRunId ? source : undefined);
      this.#collectedWeight += weightOf(document);
      const { count } = this.#collected;
      const mostWeight = count < FEW_COLLECTED ? MAX_WEIGHT_OF_FEW : MAX_COLLECTED_WEIGHT;
      if (count >= MAX_COLLECTED || this.#collectedWeight >= mostWeight) this.#sendCollected();
      return;
    }
    this.#begin();
    this.#feeder.feed(document, 0, at);
    this.#done = this.#seen;
    this.#look(1);
  }

  table(table: DocumentTable): void {
    this.#checkSink();
    this.#sendCollected();
    const start = this.#seen;
    this.#seen += table.count;
    if (!this.#isNext(this.#seen) || this.#waitsForHeld()) return;
    table.startAt(start);
    if (!keepsRunIds(this.#batch)) table.fill('run_id', this.#options.runId);
    this.#process(start < this.#done ? table.selectFrom(this.#done - start) : table);
  }

  /** Processes documents of the batch that are not finished. */
  #process(rows: DocumentTable | DocumentList): void {
    const { pipeline, flow } = this.#options;
    const end = rows.position(rows.count - 1) + 1;
    if (this.#limit.isAlone) {
      this.#held = documentsOf(rows);
      this.#paused = true;
      return;
    }
    let from = 0;
    if (this.#mayUseTables) {
      this.#begin();
      // Stays true if V8 interrupts the call, or if the table must be processed row by row.
      this.#byRow = true;
      // The documents of the first table are processed one at a time, which shows how fast the stages are.
      let whole = this.#tables++ > 0 && this.#tablePass.suits;
      if (whole && !this.#tablePass.run(rows)) {
        // The next pass decodes the documents again, because stages have changed them.
        this.#rollback(this.#begun as Begun);
        this.#paused = true;
        return;
      }
      if (!whole && !(rows instanceof DocumentList)) {
        from = pipeline.processTable(rows);
        whole = from === pipeline.length && !rows.hasBypassed;
        if (whole) this.#part.table(rows);
      }
      this.#byRow = false;
      if (whole) {
        this.#done = end;
        this.#look(rows.count);
        return;
      }
    }
    let row = 0;
    for (; row < rows.count && !this.#paused && !flow.stopped; row++) {
      this.#begin(from, end);
      const position = rows.position(row);
      this.#feeder.feed(rows.document(row), from, position);
      this.#done = position + 1;
      this.#look(1);
    }
    pipeline.statisticsMark.uncount(from, rows.count - row);
  }

  get #mayUseTables(): boolean {
    return !this.#byRow && !this.#feeder.isWaiting && this.#options.pipeline.inOrder && !listsIds(this.#batch);
  }

  /** Processes the documents that were decoded one at a time. */
  #sendCollected(): void {
    const collected = this.#collected;
    this.#collected = undefined;
    this.#collectedWeight = 0;
    if (collected !== undefined) this.#process(collected);
  }

  reject(record: Parameters<RecordSink['reject']>[0]): void {
    this.#checkSink();
    checkRejected(record);
    const { place, message, id, count = 1 } = record;
    this.#sendCollected();
    this.#seen += count;
    if (!this.#isNext(this.#seen) || this.#waitsForHeld()) return;
    this.#begin();
    this.#part.rejected(id ?? place, { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` }, count);
    this.#done = this.#seen;
    this.#look(count);
  }

  warn(message: string): void {
    this.#options.log.warn(message);
  }

  /** The name of the decoder, for messages. The chunks of a batch mostly have the same decoder. */
  get #decoderName(): string {
    return this.#batch?.kind === 'records' ? this.#batch.chunks[0].decoder.name : 'A decoder';
  }

  /** Throws if a decoder uses the sink after it has returned: the document would belong to another chunk. */
  #checkSink(): void {
    if (!this.#isDecoding) throw lateSink(this.#decoderName);
  }

  /** Throws if the decoder of a chunk did not return the number of documents that its connector has published. */
  #checkNumber(batch: InputBatch): void {
    if (batch.kind !== 'records' || this.full) return;
    checkNumber(batch.chunks[0].decoder.name, this.#seen, knownDocuments(batch.chunks));
  }

  get known(): number {
    return Math.max(0, this.#done - this.#seen);
  }

  skip(records: number): void {
    this.#sendCollected();
    this.#seen += records;
  }

  get full(): boolean {
    return this.#paused || this.#options.flow.stopped;
  }

  /** Returns true if this pass must process the last decoded document: no earlier pass did, and no later pass will. */
  #isNext(end: number): boolean {
    if (end <= this.#done || this.#paused || this.#options.flow.stopped) return false;
    if (!this.#clock.isWorking) this.#clock.startWork(this.#done > 0);
    return true;
  }

  /**
   * Marks the start of work. The work can be rolled back until `#done` is increased.
   * @param tableStages the number of stages that the document has already passed as a row of a table
   * @param tableEnd the position in the batch after the last row of that table
   */
  #begin(tableStages = 0, tableEnd = this.#done): void {
    this.#begun = { at: this.#done, mark: this.#part.mark(), tableStages, tableEnd };
    this.#options.pipeline.statisticsMark.set();
  }

  #rollback({ at, mark, tableStages, tableEnd }: Begun): void {
    this.#part.rollback(mark);
    const { statisticsMark } = this.#options.pipeline;
    statisticsMark.restore();
    statisticsMark.uncount(tableStages, tableEnd - at);
  }

  /** Collects documents that will be processed alone, until there are enough of them. */
  #hold(document: Document): void {
    const held = (this.#held ?? []) as Document[];
    held.push(document);
    this.#held = held;
    if (held.length >= MAX_HELD) this.#paused = true;
  }

  /** Returns true if the new document must wait for earlier documents, which are processed alone after the pass. */
  #waitsForHeld(): boolean {
    if (this.#held === undefined) return false;
    this.#paused = true;
    return true;
  }

  /**
   * Processes the collected documents one at a time, each with the full time limit. This shows the document that takes
   * too long.
   */
  async #processHeld(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { flow, limit, pipeline } = this.#options;
    for (const document of held) {
      if (flow.stopped) return;
      const mark = this.#part.mark();
      pipeline.statisticsMark.set();
      const at = this.#done;
      const outcome = limit.run(() => this.#feeder.feed(document, 0, at));
      if (outcome !== 'done') this.#part.rollback(mark);
      if (outcome === 'starved') {
        // Stages have changed the document, so the next pass decodes it again.
        pipeline.statisticsMark.restore();
        this.#paused = true;
        return;
      }
      if (outcome === 'overdue') this.#feeder.failOverdue(document, at);
      this.#done++;
      await this.#poster.postIfDue();
    }
  }

  /**
   * Ends the pass if its time is over or the part is full.
   * @param documents the number of documents since the last call
   */
  #look(documents: number): void {
    if (this.#part.due || this.#clock.isOver(documents)) this.#paused = true;
  }
}

/** Yields the documents. Documents of a table are created on demand. */
function* documentsOf(rows: DocumentRows): Generator<Document> {
  for (let row = 0; row < rows.count; row++) yield rows.document(row);
}
