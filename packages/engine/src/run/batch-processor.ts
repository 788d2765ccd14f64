import { performance } from 'node:perf_hooks';
import type { RecordSink } from '../component/connector.ts';
import type { DocumentEncoder } from '../component/indexer.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import { type Failure, toFailure } from '../errors/headrace-error.ts';
import type { Pipeline, PipelineSink } from '../pipeline/pipeline.ts';
import type { StageError } from '../pipeline/stage-error.ts';
import { decodeDocuments } from '../transport/document-wire.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import type { OutcomePart, PartFailure, SourceBatch } from '../transport/messages.ts';
import { ByteWriter } from './byte-writer.ts';
import { Decoders } from './decoders.ts';

/** A part leaves at this many characters, or after this long, so that neither memory nor progress waits for a big batch. */
const PART_CHARACTERS = 2 * 1024 * 1024;
const PART_MILLIS = 250;
/** The clock is read about this often, and at least once in so many documents. */
const LOOK_MILLIS = 10;
const MAX_LOOKS_APART = 64;
/** How many failures a part tells of; it counts them all. */
const PART_FAILURES = 100;

export interface BatchProcessorOptions {
  readonly pipeline: Pipeline;
  readonly runId: string;
  readonly encoder: DocumentEncoder | undefined;
  readonly lengths: boolean;
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
  private readonly decoders = new Decoders();
  private sequence = 0;
  private readonly output = new ByteWriter();
  private ids: string[] = [];
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
  private backlog: Document[] = [];
  private waiting: Promise<void> | undefined;

  constructor(options: BatchProcessorOptions) {
    this.options = options;
  }

  /** Processes one batch. Rejects when the batch cannot be decoded to its end; what came before counts. */
  async process(sequence: number, batch: SourceBatch): Promise<void> {
    this.sequence = sequence;
    this.partStarted = this.lastLook = performance.now();
    this.untilLook = this.looksApart = 1;
    try {
      if (batch.kind === 'documents') {
        for (const document of decodeDocuments(batch.bytes)) this.document(document);
      } else {
        const { bytes, decoder, position } = batch.chunk;
        (await this.decoders.get(decoder)).decode(bytes, position, this);
      }
    } finally {
      await this.finishBacklog();
      this.flush(true);
    }
  }

  document(document: Document): void {
    const { pipeline, runId, flow } = this.options;
    if (flow.stopped) return;
    document.setRunId(runId);
    if (this.waiting !== undefined || !pipeline.inOrder) {
      this.backlog.push(document);
      return;
    }
    this.waiting = pipeline.processOne(document, this);
    this.flushIfDue();
  }

  reject({ place, message, id }: Parameters<RecordSink['reject']>[0]): void {
    this.published++;
    this.fail(id ?? place, 'connector', { code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` });
    this.flushIfDue();
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
      this.output.write(text);
      if (this.options.lengths) this.lengths.push(Buffer.byteLength(text));
    }
    this.ids.push(document.id);
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
      const documents = this.backlog;
      this.backlog = [];
      // Small slices, so that parts leave in time and a stop is noticed.
      const slice = pipeline.inOrder ? 1 : 256;
      for (let i = 0; i < documents.length && !flow.stopped; i += slice) {
        await pipeline.process(documents.slice(i, i + slice), this, () => flow.stopped);
        // Where stages wait, the clock costs nothing.
        this.untilLook = 1;
        this.flushIfDue();
      }
    }
  }

  private flushIfDue(): void {
    if (this.output.characters < PART_CHARACTERS && --this.untilLook > 0) return;
    const now = performance.now();
    // Reading the clock costs as much as a field: fast documents are asked rarely, slow ones each time.
    const millisPerDocument = (now - this.lastLook) / this.looksApart;
    // At most twice as far as before, because documents that were fast may become slow.
    const apart = Math.min(2 * this.looksApart, MAX_LOOKS_APART, Math.floor(LOOK_MILLIS / millisPerDocument));
    this.looksApart = Math.max(1, apart);
    this.untilLook = this.looksApart;
    this.lastLook = now;
    if (this.output.characters < PART_CHARACTERS && now - this.partStarted < PART_MILLIS) return;
    this.flush(false);
    this.options.flow.waitForRoom(this.sequence);
    this.partStarted = performance.now();
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
      count: this.ids.length,
      bytes: this.output.take(),
      ids: JSON.stringify(this.ids),
      lengths: lengths ? Uint32Array.from(this.lengths) : undefined,
    });
    this.published = this.created = this.dropped = this.failed = 0;
    this.failures = [];
    this.ids = [];
    this.lengths = [];
  }
}
