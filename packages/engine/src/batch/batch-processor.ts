import type { RecordNotice, RecordSink } from '../component/connector.ts';
import { checkDecoded, checkNumber, checkRejected, lateSink } from '../component/published.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { isPlainText, type SourceText } from '../document/source-text.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import { BatchExecution } from '../execution/batch-execution.ts';
import { type Deadline, processorMillis } from '../execution/deadline.ts';
import { runGuarded } from '../execution/guard.ts';
import type { Pipeline } from '../execution/pipeline.ts';
import { requireNotice } from '../notices/check-notice.ts';
import type { Notices } from '../notices/notice.ts';
import { release } from '../transport/release.ts';
import { bytesOf, keepsRunIds, knownDocuments, listsIds } from './chunk-marks.ts';
import { Decoders, decoding } from './decoders.ts';
import { PartPoster, type PartPosterOptions } from './part-poster.ts';
import { PassTime } from './pass-time.ts';
import type { InputBatch, SourceBatch } from './pipeline-messages.ts';
import { RecordNotices } from './record-notices.ts';

export interface BatchProcessorOptions extends Omit<PartPosterOptions, 'inputMillis'> {
  readonly pipeline: Pipeline;
  readonly runId: string;
  /** Counts the notices of decoders. */
  readonly recordNotices: Notices;
  /** The time limit of the stages for one document. */
  readonly deadline: Deadline;
  /** Called before the last part of a batch that cannot be decoded completely, with the reason. */
  readonly broken: (sequence: number, failure: Failure) => void;
}

/**
 * Does the work of a pipeline thread: decodes a batch, sends its documents through the stages, encodes the result, and
 * posts it in parts.
 * Processes the batch in passes. V8 interrupts a pass that exceeds its time limit, at any instruction. The next pass
 * decodes the batch again and continues after the finished documents. A pass also ends when a part is ready to be
 * posted, because V8 must not interrupt the code that posts a part and waits for space.
 */
export class BatchProcessor implements RecordSink {
  readonly #options: BatchProcessorOptions;
  readonly #poster: PartPoster;
  readonly #execution: BatchExecution;
  readonly #time: PassTime;
  /** True if the id of the run, a text of each document, needs no escapes. */
  readonly #plainRunId: boolean;
  #decoders = new Decoders();
  #batch: InputBatch | undefined;
  /** The number of documents and unreadable records that the decoder has returned in this pass. */
  #seen = 0;
  readonly #notices: RecordNotices;
  /** True while a decoder may use the sink. */
  #isDecoding = false;
  /** The document that a decoder returned last. */
  #last: Document | undefined;

  constructor(options: BatchProcessorOptions) {
    const { pipeline, flow, deadline } = options;
    this.#options = options;
    this.#plainRunId = isPlainText([options.runId]);
    this.#time = new PassTime(deadline.millis);
    this.#notices = new RecordNotices(options.recordNotices);
    this.#poster = new PartPoster({ ...options, inputMillis: deadline.millis });
    this.#execution = new BatchExecution({
      pipeline,
      sink: this.#poster.part,
      deadline,
      stopped: () => flow.stopped,
      isPassOver: (documents) => this.#time.isOver(documents),
      progressed: () => this.#poster.postIfDue(),
    });
  }

  /** Processes one batch. If the batch cannot be decoded completely, the documents before the error are processed. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    if (batch.kind === 'encoded') {
      this.#poster.passOn(sequence, batch);
      return;
    }
    const execution = this.#execution;
    this.#batch = batch;
    this.#time.startBatch();
    execution.startBatch(!listsIds(batch));
    this.#poster.startBatch(sequence, batch);
    let broken: Failure | undefined;
    try {
      do {
        await this.#pass(batch);
        await execution.processHeld();
        this.#notices.count(execution.done);
        if (execution.paused) await this.#poster.postIfDue();
      } while (execution.paused);
    } catch (error) {
      broken = toFailure(error, 'HR_SOURCE_UNREADABLE');
    }
    this.#notices.countRest(execution.done);
    // Documents that were decoded before the error still pass through the stages.
    await execution.finishBatch();
    if (broken !== undefined) this.#options.broken(sequence, broken);
    await this.#poster.finishBatch();
    this.#batch = undefined;
    bytesOf(batch).forEach(release);
  }

  /** Runs work of a stage after a wait, see `BatchExecution.guarded`. */
  guarded(work: () => void, moreMillis?: number): boolean {
    return this.#execution.guarded(work, moreMillis);
  }

  /** Decodes the batch and processes the unfinished documents, up to a pause. */
  async #pass(batch: InputBatch): Promise<void> {
    const decode = await this.#decoding(batch);
    const execution = this.#execution;
    const time = this.#time;
    const before = execution.done;
    this.#seen = 0;
    this.#notices.startPass(before);
    execution.startPass();
    time.startPass();
    const processorBefore = processorMillis();
    const isDecoded = runGuarded(decode, time.limitMillis(execution.isAlone));
    // V8 executes no `finally` in code that it interrupts.
    this.#isDecoding = false;
    if (isDecoded) {
      time.noteRead();
      return;
    }
    // If V8 interrupted the decoder, its state is undefined, so it is replaced.
    this.#decoders = new Decoders();
    if (execution.interrupted()) return;
    if (execution.hasHeld || execution.done !== before) time.noteRead();
    else if (!time.noteEndedUnread(execution.isAlone, processorMillis() - processorBefore)) {
      this.#poster.omitInputs();
      const seconds = this.#options.deadline.millis / 1000;
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
        this.#execution.flush();
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
    this.#execution.document(document, at, this.#plainRunId ? source : undefined);
  }

  table(table: DocumentTable): void {
    this.#checkSink();
    this.#execution.flush();
    const start = this.#seen;
    this.#seen += table.count;
    if (!this.#isNext(this.#seen)) return;
    if (!keepsRunIds(this.#batch)) table.fill('run_id', this.#options.runId);
    this.#execution.table(table, start);
  }

  reject(record: Parameters<RecordSink['reject']>[0]): void {
    this.#checkSink();
    checkRejected(record);
    const { place, message, id, count = 1 } = record;
    this.#execution.flush();
    this.#seen += count;
    if (!this.#isNext(this.#seen)) return;
    const failure = { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` } as const;
    this.#execution.reject(id ?? place, failure, count, this.#seen);
  }

  notice(code: string, details: RecordNotice = {}): void {
    this.#checkSink();
    requireNotice(this.#decoderName, code, details);
    this.#notices.add(this.#seen, code, details);
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
    return Math.max(0, this.#execution.done - this.#seen);
  }

  skip(records: number): void {
    this.#execution.flush();
    this.#seen += records;
  }

  get full(): boolean {
    return this.#execution.paused || this.#options.flow.stopped;
  }

  /** Returns true if this pass must process the last decoded document: no earlier pass did, and no later pass will. */
  #isNext(end: number): boolean {
    const { done } = this.#execution;
    if (end <= done || this.full) return false;
    if (!this.#time.isWorking) this.#time.startWork(done > 0);
    return true;
  }
}
