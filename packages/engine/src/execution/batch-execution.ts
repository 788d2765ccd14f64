import type { Document } from '../document/document.ts';
import { DocumentList, type DocumentRows } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { SourceText } from '../document/source-text.ts';
import type { Failure } from '../errors/headrace-error.ts';
import { type Deadline, SHORT_PART } from './deadline.ts';
import { DocumentQueue } from './document-queue.ts';
import { weightOf } from './document-weight.ts';
import type { Pipeline } from './pipeline.ts';
import type { PipelineSink, QueueSink, TableSink } from './sink.ts';
import type { TableSchedule } from './tables.ts';
import type { Undo } from './undo.ts';

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

/** Receives the documents of a batch, and the records that could not be read. */
export interface BatchSink extends QueueSink, Omit<TableSink, keyof PipelineSink> {
  /** Counts a record that could not be read, with all its documents. */
  rejected(id: string, failure: Failure, count: number): void;
}

export interface BatchExecutionOptions {
  readonly pipeline: Pipeline;
  readonly sink: BatchSink;
  readonly deadline: Deadline;
  /** Returns true if the run must stop. */
  readonly stopped: () => boolean;
  /** Called after a document with the number of documents since the last call. Returns true to end the pass. */
  readonly isPassOver: (documents: number) => boolean;
  /** Called between documents, when V8 cannot interrupt the work. */
  readonly progressed: () => Promise<void>;
}

/** The start of some work. */
interface Begun {
  /** The position in the batch of the first document of the work. */
  readonly at: number;
  readonly undo: Undo;
}

/**
 * Sends the documents of a batch through the stages: as tables if the stages are suitable, otherwise one at a time.
 * V8 may interrupt the work at any instruction, if it takes too long. Then the work in progress is undone, and the
 * caller passes the unfinished documents again. From then on, each document of the batch is processed alone with the
 * full time limit of a document, which shows the document that takes too long.
 */
export class BatchExecution {
  readonly #options: BatchExecutionOptions;
  readonly #queue: DocumentQueue;
  readonly #tables: TableSchedule;
  /** The number of finished documents of the batch. */
  #done = 0;
  #paused = false;
  #begun: Begun | undefined;
  #startedAt = 0;
  /** True if documents of this batch may be processed together. */
  #together = true;
  /** True if each document is processed alone, because V8 has interrupted the work on a document. */
  #isAlone = false;
  /** The number of processed tables. */
  #tableCount = 0;
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

  constructor(options: BatchExecutionOptions) {
    const { pipeline, sink, deadline, stopped, progressed } = options;
    this.#options = options;
    const guard = deadline.runOnce.bind(deadline);
    this.#queue = new DocumentQueue({ pipeline, sink, stopped, guard, progressed });
    this.#tables = pipeline.tables(sink, this.#queue);
  }

  /** The number of finished documents of the batch. */
  get done(): number {
    return this.#done;
  }

  /** True if this pass takes no more documents. */
  get paused(): boolean {
    return this.#paused;
  }

  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** True if documents wait to be processed alone. */
  get hasHeld(): boolean {
    return this.#held !== undefined;
  }

  /** @param together false if the documents must be processed one at a time */
  startBatch(together: boolean): void {
    this.#together = together;
    this.#done = 0;
    this.#isAlone = false;
    this.#startedAt = performance.now();
  }

  /** Call this before the documents of the batch are passed, from the first one on. */
  startPass(): void {
    this.#paused = false;
    this.#begun = undefined;
    this.#collected = undefined;
    this.#collectedWeight = 0;
  }

  /** Processes the last documents of the batch. */
  async finishBatch(): Promise<void> {
    await this.#queue.finish();
    const { deadline } = this.#options;
    if (!this.#isAlone && performance.now() - this.#startedAt < deadline.millis * SHORT_PART) this.#byRow = false;
  }

  /**
   * Must be called when V8 has interrupted a pass. Undoes the work in progress.
   * @returns true if a document was in progress
   */
  interrupted(): boolean {
    this.#paused = true;
    const begun = this.#begun;
    if (begun?.at !== this.#done) return false;
    begun.undo();
    this.#isAlone = true;
    return true;
  }

  /** Runs work within the time limit of a document. If V8 interrupts the work, its effects are undone. */
  guarded(work: () => void, moreMillis?: number): boolean {
    const undo = this.#options.sink.mark();
    if (this.#options.deadline.runOnce(work, moreMillis)) return true;
    undo();
    return false;
  }

  /**
   * Processes the next document of the batch, now or together with others.
   * @param source the text from which all texts of the document were cut
   */
  document(document: Document, at: number, source: SourceText | undefined): void {
    if (this.#isAlone) {
      this.#hold(document);
      return;
    }
    if (this.#mayUseTables) {
      this.#collect(document, at, source);
      return;
    }
    this.#begin();
    this.#queue.feed(document, 0, at);
    this.#finish(at + 1, 1);
  }

  /** Processes the next documents of the batch. The documents before `done` are finished. */
  table(table: DocumentTable, start: number): void {
    if (this.#waitsForHeld()) return;
    table.startAt(start);
    this.#process(start < this.#done ? table.selectFrom(this.#done - start) : table);
  }

  /** Reports the next record of the batch, with all its documents. */
  reject(id: string, failure: Failure, count: number, end: number): void {
    if (this.#waitsForHeld()) return;
    this.#begin();
    this.#options.sink.rejected(id, failure, count);
    this.#finish(end, count);
  }

  /** Processes the documents that were passed one at a time. */
  flush(): void {
    const collected = this.#collected;
    this.#collected = undefined;
    this.#collectedWeight = 0;
    if (collected !== undefined) this.#process(collected);
  }

  /**
   * Processes the documents that wait to be processed alone, each with the full time limit. This shows the document
   * that takes too long.
   */
  async processHeld(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { sink, stopped, deadline, pipeline, progressed } = this.#options;
    for (const document of held) {
      if (stopped()) return;
      const undoSink = sink.mark();
      const undoStatistics = pipeline.statisticsMark.mark();
      const at = this.#done;
      const outcome = deadline.run(() => this.#queue.feed(document, 0, at));
      if (outcome !== 'done') undoSink();
      if (outcome === 'starved') {
        // Stages have changed the document, so the next pass decodes it again.
        undoStatistics();
        this.#paused = true;
        return;
      }
      if (outcome === 'overdue') this.#queue.failOverdue(document, at);
      this.#done++;
      await progressed();
    }
  }

  #collect(document: Document, at: number, source: SourceText | undefined): void {
    this.#collected ??= new DocumentList(at);
    this.#collected.add(document, source);
    this.#collectedWeight += weightOf(document);
    const { count } = this.#collected;
    const mostWeight = count < FEW_COLLECTED ? MAX_WEIGHT_OF_FEW : MAX_COLLECTED_WEIGHT;
    if (count >= MAX_COLLECTED || this.#collectedWeight >= mostWeight) this.flush();
  }

  /** Processes documents of the batch that are not finished. */
  #process(rows: DocumentTable | DocumentList): void {
    if (this.#isAlone) {
      this.#held = documentsOf(rows);
      this.#paused = true;
      return;
    }
    if (!this.#mayUseTables) {
      this.#processRows(rows, 0);
      return;
    }
    this.#begin();
    // Stays true if V8 interrupts the work, or if the documents must be processed one at a time.
    this.#byRow = true;
    let from: number | undefined;
    // The documents of the first table are processed one at a time, which shows how fast the stages are.
    if (this.#tableCount++ === 0 || !this.#tables.suits) {
      from = rows instanceof DocumentList ? 0 : this.#tables.processFirst(rows);
    } else if (!this.#tables.process(rows)) {
      // The next pass decodes the documents again, because stages have changed them.
      this.#begun?.undo();
      this.#paused = true;
      return;
    }
    this.#byRow = false;
    if (from === undefined) this.#finish(rows.position(rows.count - 1) + 1, rows.count);
    else this.#processRows(rows, from);
  }

  /** Processes documents one at a time, from a stage on. */
  #processRows(rows: DocumentTable | DocumentList, from: number): void {
    const { pipeline, stopped } = this.#options;
    const end = rows.position(rows.count - 1) + 1;
    let row = 0;
    for (; row < rows.count && !this.#paused && !stopped(); row++) {
      this.#begin(from, end);
      const position = rows.position(row);
      this.#queue.feed(rows.document(row), from, position);
      this.#finish(position + 1, 1);
    }
    pipeline.statisticsMark.uncount(from, rows.count - row);
  }

  get #mayUseTables(): boolean {
    return this.#together && !this.#byRow && !this.#queue.isWaiting && this.#options.pipeline.inOrder;
  }

  /**
   * Begins work that can be undone until `#finish`.
   * @param tableStages the number of stages that the document has already passed as a row of a table
   * @param tableEnd the position in the batch after the last row of that table
   */
  #begin(tableStages = 0, tableEnd = this.#done): void {
    const { sink, pipeline } = this.#options;
    const { statisticsMark } = pipeline;
    const at = this.#done;
    const undoSink = sink.mark();
    const undoStatistics = statisticsMark.mark();
    const undo = () => {
      undoSink();
      undoStatistics();
      statisticsMark.uncount(tableStages, tableEnd - at);
    };
    this.#begun = { at, undo };
  }

  /**
   * Ends work. Ends also the pass, if its time is over or the part is full.
   * @param end the position in the batch after its last document
   * @param documents the number of its documents
   */
  #finish(end: number, documents: number): void {
    this.#done = end;
    if (this.#options.sink.due || this.#options.isPassOver(documents)) this.#paused = true;
  }

  /** Collects documents that will be processed alone, until there are enough of them. */
  #hold(document: Document): void {
    const held = (this.#held ?? []) as Document[];
    held.push(document);
    this.#held = held;
    if (held.length >= MAX_HELD) this.#paused = true;
  }

  /** Returns true if the next document must wait for earlier documents, which are processed alone after the pass. */
  #waitsForHeld(): boolean {
    if (this.#held === undefined) return false;
    this.#paused = true;
    return true;
  }
}

/** Yields the documents. Documents of a table are created on demand. */
function* documentsOf(rows: DocumentRows): Generator<Document> {
  for (let row = 0; row < rows.count; row++) yield rows.document(row);
}
