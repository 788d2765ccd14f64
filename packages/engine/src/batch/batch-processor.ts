import type { RecordSink } from '../component/connector.ts';
import type { DocumentEncoder } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import { DocumentList, type DocumentRows } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import type { FailureBudget } from '../failures/failure-budget.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { TablePass } from '../pipeline/table-pass.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import { release } from '../transport/release.ts';
import { runGuarded } from './compute-guard.ts';
import { type ComputeLimit, processorMillis } from './compute-limit.ts';
import { Decoders, decoding } from './decoders.ts';
import { addInputs } from './input-reader.ts';
import { PartBuilder } from './part-builder.ts';
import { PART_MILLIS, PassClock } from './pass-clock.ts';
import { PASS_PART, PassLimit } from './pass-limit.ts';
import { PipelineFeeder } from './pipeline-feeder.ts';
import type { EncodedInput, InputBatch, OutcomePart, SourceBatch } from './pipeline-messages.ts';

/** How many documents are decoded at a time when each document is processed alone. */
const MAX_HELD = 256;
/** How many documents are processed together if they are decoded one by one. */
const MAX_COLLECTED = 256;

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
  /**
   * Called before the last part of a batch that cannot be decoded completely. The receiver of that part then knows why
   * documents are missing.
   */
  readonly broken: (sequence: number, failure: Failure) => void;
}

/** The state that a rollback restores. */
interface Begun {
  /** The position of its first document in the batch. */
  readonly at: number;
  /** How far the part was. */
  readonly mark: ReturnType<PartBuilder['mark']>;
  readonly tableStages: number;
  readonly tableEnd: number;
}

/**
 * Does the work of a pipeline thread: decodes a batch, sends its documents through the stages, encodes the result, and
 * posts it in parts.
 * It processes the batch in passes. V8 ends a pass that takes too long, at any instruction. The processor then rolls
 * back the work in progress, and the next pass decodes the batch again and continues after the finished documents. From
 * then on each document of the batch is processed alone, with the full time limit of a document. This shows which
 * document takes too long. A pass also ends when a part is ready to be posted: V8 must not end the code that posts a
 * part and waits for space.
 */
export class BatchProcessor implements RecordSink {
  readonly #options: BatchProcessorOptions;
  readonly #part: PartBuilder;
  readonly #feeder: PipelineFeeder;
  readonly #clock = new PassClock();
  readonly #limit: PassLimit;
  #decoders = new Decoders();
  #sequence = 0;
  #batch: InputBatch | undefined;
  /** Whether the batch can be decoded up to the finished documents. */
  #readable = true;
  /** How many documents and bad records the decoder has returned in this pass. */
  #seen = 0;
  /** How many documents of the batch are finished. */
  #done = 0;
  #begun: Begun | undefined;
  readonly #tablePass: TablePass;
  /** How many tables have been processed. */
  #tables = 0;
  /** Documents that were decoded one by one and will be processed together. */
  #collected: DocumentList | undefined;
  /**
   * Whether tables are processed row by row. True after V8 has ended the work on a table; batches are slow from then
   * on.
   */
  #byRow = false;
  /** Documents that will be processed alone. */
  #held: Iterable<Document> | undefined;
  /** The next pass decodes the rest of what the decoder returns. */
  #paused = false;
  #partStarted = 0;

  constructor(options: BatchProcessorOptions) {
    const { pipeline, flow, failureBudget } = options;
    this.#options = options;
    this.#limit = new PassLimit(options.limit.millis);
    this.#part = new PartBuilder(options.encoder, options.lengths, () => this.#relieve(), failureBudget.maxFailures);
    this.#feeder = new PipelineFeeder({
      pipeline,
      sink: this.#part,
      stopped: () => flow.stopped,
      guard: (work, moreMillis) => options.limit.runOnce(work, moreMillis),
      progressed: () => this.#postIfDue(),
    });
    this.#tablePass = pipeline.tablePass(this.#part, this.#feeder);
  }

  /** Processes one batch. If the batch cannot be decoded completely, the documents before the error count. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    this.#sequence = sequence;
    if (batch.kind === 'encoded') {
      this.#passOn(batch);
      return;
    }
    this.#batch = batch;
    this.#readable = true;
    this.#done = 0;
    this.#limit.startBatch();
    this.#clock.startBatch();
    const started = performance.now();
    this.#partStarted = started;
    let broken: Failure | undefined;
    try {
      do {
        await this.#pass(batch);
        await this.#processHeld();
        if (this.#paused) await this.#postIfDue();
      } while (this.#paused);
    } catch (error) {
      broken = toFailure(error, 'HR_SOURCE_UNREADABLE');
    }
    // Documents that were decoded before the error still go through the stages.
    await this.#feeder.finish();
    if (!this.#limit.isAlone && performance.now() - started < this.#options.limit.millis * PASS_PART)
      this.#byRow = false;
    if (broken !== undefined) this.#options.broken(sequence, broken);
    await this.#post(true);
    this.#batch = undefined;
    release(batch.kind === 'documents' ? batch.bytes : batch.chunk.bytes);
  }

  /** Runs work within the time limit of a document. If V8 ends the work, its effects are rolled back. */
  guarded(work: () => void): boolean {
    const mark = this.#part.mark();
    if (this.#options.limit.runOnce(work)) return true;
    this.#part.rollback(mark);
    return false;
  }

  /** Documents that are already encoded go to the indexer unchanged. */
  #passOn({ bytes, count, ids, lengths }: EncodedInput): void {
    const sequence = this.#sequence;
    const nothing = { created: 0, dropped: 0, failed: 0, failures: [] };
    this.#options.post({ ...nothing, sequence, last: true, published: count, count, bytes, ids, lengths });
  }

  /** Decodes the batch and processes the unfinished documents, up to a pause. */
  async #pass(batch: InputBatch): Promise<void> {
    const decode = await this.#decoding(batch);
    const before = this.#done;
    this.#seen = 0;
    this.#paused = false;
    this.#begun = undefined;
    this.#collected = undefined;
    this.#clock.startPass();
    const processorBefore = processorMillis();
    if (runGuarded(decode, this.#limit.millis + this.#clock.allowanceMillis)) {
      this.#limit.noteRead();
      return;
    }
    this.#paused = true;
    // If V8 ended the decoder in the middle, its state is unknown.
    this.#decoders = new Decoders();
    // Set while the work ran. The compiler does not see this.
    const begun = this.#begun as Begun | undefined;
    const held = this.#held as Iterable<Document> | undefined;
    if (begun !== undefined && begun.at === this.#done) {
      this.#part.rollback(begun.mark);
      const { statisticsMark } = this.#options.pipeline;
      statisticsMark.restore();
      statisticsMark.uncount(begun.tableStages, begun.tableEnd - begun.at);
      this.#limit.noteEndedAtDocument();
    } else if (held !== undefined || this.#done !== before) this.#limit.noteRead();
    else if (!this.#limit.noteEndedUnread(processorMillis() - processorBefore)) {
      this.#readable = false;
      const seconds = this.#options.limit.millis / 1000;
      const message = `A record takes longer than ${seconds} s to read (worker.maxProcessingSecs)`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', message);
    }
  }

  async #decoding(batch: InputBatch): Promise<() => void> {
    const decode = await decoding(batch, this, (reference) => this.#decoders.get(reference));
    return () => {
      try {
        decode();
      } finally {
        // Those before an error count.
        this.#sendCollected();
      }
    };
  }

  document(document: Document): void {
    const at = this.#seen++;
    if (!this.#isNext(this.#seen)) return;
    document.setRunId(this.#options.runId);
    if (this.#limit.isAlone) {
      this.#hold(document);
      return;
    }
    if (this.#mayUseTables) {
      this.#collected ??= new DocumentList(at);
      this.#collected.add(document);
      if (this.#collected.count >= MAX_COLLECTED) this.#sendCollected();
      return;
    }
    this.#begin();
    this.#feeder.feed(document, 0, at);
    this.#done = this.#seen;
    this.#look(1);
  }

  table(table: DocumentTable): void {
    this.#sendCollected();
    const start = this.#seen;
    this.#seen += table.count;
    if (!this.#isNext(this.#seen) || this.#waitsForHeld()) return;
    table.startAt(start);
    table.fill('run_id', this.#options.runId);
    this.#process(start < this.#done ? table.selectFrom(this.#done - start) : table);
  }

  /** Processes documents that are not finished. */
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
      // Stays true when V8 ends the call.
      this.#byRow = true;
      // The documents of the first table go one by one, which shows how fast the stages are.
      let whole = this.#tables++ > 0 && pipeline.suitsTables;
      if (whole) this.#tablePass.run(rows);
      else if (!(rows instanceof DocumentList)) {
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
    return !this.#byRow && !this.#feeder.isWaiting && this.#options.pipeline.inOrder;
  }

  /** Processes the documents that were decoded one by one. */
  #sendCollected(): void {
    const collected = this.#collected;
    this.#collected = undefined;
    if (collected !== undefined) this.#process(collected);
  }

  reject({ place, message, id }: Parameters<RecordSink['reject']>[0]): void {
    this.#sendCollected();
    this.#seen++;
    if (!this.#isNext(this.#seen) || this.#waitsForHeld()) return;
    this.#begin();
    this.#part.rejected(id ?? place, { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
    this.#done = this.#seen;
    this.#look(1);
  }

  warn(message: string): void {
    this.#options.log.warn(message);
  }

  /**
   * Whether this pass must process the document that it has just decoded: no earlier pass did, and no later pass will.
   */
  #isNext(end: number): boolean {
    if (end <= this.#done || this.#paused || this.#options.flow.stopped) return false;
    if (!this.#clock.isWorking) this.#clock.startWork(this.#done > 0);
    return true;
  }

  /**
   * Marks where work begins. Until `#done` is raised after it, the work can be rolled back.
   * @param tableStages how many stages it has already passed as a row of a table, which ends at `tableEnd`
   */
  #begin(tableStages = 0, tableEnd = this.#done): void {
    this.#begun = { at: this.#done, mark: this.#part.mark(), tableStages, tableEnd };
    this.#options.pipeline.statisticsMark.set();
  }

  /** Collects documents that will be processed alone, until there are enough of them. */
  #hold(document: Document): void {
    const held = (this.#held ?? []) as Document[];
    held.push(document);
    this.#held = held;
    if (held.length >= MAX_HELD) this.#paused = true;
  }

  /** Whether the new document must wait for documents before it, which are processed alone after the pass. */
  #waitsForHeld(): boolean {
    if (this.#held === undefined) return false;
    this.#paused = true;
    return true;
  }

  /**
   * Processes collected documents one by one, each with the full time limit. This shows which document takes too long.
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
        // Stages have changed it. The next pass decodes it again.
        pipeline.statisticsMark.restore();
        this.#paused = true;
        return;
      }
      if (outcome === 'overdue') this.#feeder.failOverdue(document, at);
      this.#done++;
      await this.#postIfDue();
    }
  }

  /**
   * Ends the pass if it has taken long enough.
   * @param documents how many documents have come since the last call
   */
  #look(documents: number): void {
    if (this.#part.due || this.#clock.isOver(documents)) this.#paused = true;
  }

  async #postIfDue(): Promise<void> {
    if (this.#part.due || performance.now() - this.#partStarted >= PART_MILLIS) await this.#relieve();
  }

  async #relieve(): Promise<boolean> {
    const { flow } = this.#options;
    await this.#post(false);
    flow.waitForSpace(this.#sequence);
    this.#partStarted = performance.now();
    return !flow.stopped;
  }

  async #post(last: boolean): Promise<void> {
    await this.#findInputs();
    const part = this.#part.take(this.#sequence, last);
    this.#options.post(last && this.#options.flow.stopped ? { ...part, cut: true } : part);
  }

  /** Adds the source documents to the failures of the part, if the run collects them. */
  async #findInputs(): Promise<void> {
    const { failureBudget, limit, log } = this.#options;
    if (this.#batch === undefined || !this.#readable || failureBudget.closed) return;
    await addInputs(this.#part.failedDocuments, this.#batch, failureBudget, limit.millis, log);
  }
}

/** The documents. Those of a table are created on demand. */
function* documentsOf(rows: DocumentRows): Generator<Document> {
  for (let row = 0; row < rows.count; row++) yield rows.document(row);
}
