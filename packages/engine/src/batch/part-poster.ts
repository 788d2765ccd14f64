import type { DocumentEncoder } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import type { FailureBudget } from '../failures/failure-budget.ts';
import { FamilyLines, type FamilySettings } from '../families/family-lines.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import { listsIds } from './chunk-marks.ts';
import { addInputs } from './input-reader.ts';
import { hashesOf, PartBuilder } from './part-builder.ts';
import { PART_MILLIS } from './pass-time.ts';
import type { EncodedInput, InputBatch, OutcomePart } from './pipeline-messages.ts';

export interface PartPosterOptions {
  readonly encoder: DocumentEncoder | undefined;
  /** True if the indexer cuts batches by document and needs the length of each document. */
  readonly lengths: boolean;
  /** The settings of families, if the indexer deletes old children. */
  readonly families?: FamilySettings | undefined;
  /** The time limit for reading the source documents of failures again. */
  readonly inputMillis: number;
  readonly flow: FlowControl;
  readonly failureBudget: FailureBudget;
  readonly log: Logger;
  /** Counts the notices of all components of the thread. */
  readonly notices: NoticeCollector;
  readonly post: (part: OutcomePart) => void;
}

/**
 * Posts the result of a batch in parts. A part is posted when it is large or old enough, and the last one at the end of
 * the batch. After each part but the last, the thread waits until the queues have space. Adds the source documents to
 * failures, if the run stores them.
 */
export class PartPoster {
  /** Collects the documents of the next part. */
  readonly part: PartBuilder;
  readonly #options: PartPosterOptions;
  #sequence = 0;
  #batch: InputBatch | undefined;
  /** The time at which the part was started. */
  #started = 0;

  constructor(options: PartPosterOptions) {
    const { encoder, lengths, families, failureBudget, notices } = options;
    this.#options = options;
    const family = families === undefined ? undefined : new FamilyLines(families);
    const relieve = () => this.#postAndWait();
    this.part = new PartBuilder(encoder, lengths, relieve, failureBudget.maxFailures, notices, family);
  }

  /** Posts documents that are already encoded for the indexer unchanged. */
  passOn(sequence: number, { bytes, count, ids, lengths }: EncodedInput): void {
    const nothing = { created: 0, dropped: 0, failed: 0, failures: [] };
    const hashes = hashesOf(this.#options.encoder, bytes, lengths);
    this.#send({ ...nothing, sequence, last: true, published: count, count, bytes, ids, lengths, ...hashes });
  }

  startBatch(sequence: number, batch: InputBatch): void {
    this.#sequence = sequence;
    this.#batch = batch;
    this.part.startBatch(listsIds(batch));
    this.#started = performance.now();
  }

  /** Omits the source documents of later failures: the batch cannot be decoded up to them. */
  omitInputs(): void {
    this.#batch = undefined;
  }

  /** Posts the part if it is large or old enough. */
  async postIfDue(): Promise<void> {
    if (this.part.due || performance.now() - this.#started >= PART_MILLIS) await this.#postAndWait();
  }

  /** Posts the last part of the batch. */
  async finishBatch(): Promise<void> {
    await this.#post(true);
    this.#batch = undefined;
    if (threadMemory.hasLeft) this.#options.flow.waitForDelivery(this.#sequence);
    threadMemory.releaseDocuments();
  }

  /** Returns false if the run stops. */
  async #postAndWait(): Promise<boolean> {
    const { flow } = this.#options;
    await this.#post(false);
    if (threadMemory.hasLeft) {
      flow.waitForDelivery(this.#sequence);
      threadMemory.releaseLeft();
    } else flow.waitForSpace(this.#sequence);
    this.#started = performance.now();
    return !flow.stopped;
  }

  async #post(last: boolean): Promise<void> {
    const { failureBudget, flow, inputMillis, log } = this.#options;
    if (this.#batch !== undefined && !failureBudget.closed) {
      await addInputs(this.part.failedDocuments, this.#batch, failureBudget, inputMillis, log);
    }
    const part = this.part.take(this.#sequence, last);
    this.#send(last && flow.stopped ? { ...part, cut: true } : part);
  }

  #send(part: OutcomePart): void {
    const { flow, post } = this.#options;
    flow.sent(part.bytes.byteLength);
    post(part);
  }
}
