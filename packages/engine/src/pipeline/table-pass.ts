import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { DocumentList, type DocumentRows } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { TableBuilder } from '../document/table-builder.ts';
import { isGiven } from './children.ts';
import type { PipelineSink } from './pipeline.ts';
import type { StageError } from './stage-error.ts';
import { callStage, callWithTable, type Step, takesTables } from './step.ts';

/** A stage that takes longer for a document, in milliseconds, gains nothing from tables, and would delay their end. */
const SLOW_MILLIS = 0.05;

/**
 * To form a table of single documents takes about as long for this many fields as a stage gains by it. Documents with
 * more fields stay single.
 */
const FIELDS_PER_STAGE = 5;

/** Receives the documents of a table when they leave the pipeline. */
export interface TableSink extends PipelineSink {
  /** The position in its batch of the document that is passed next. */
  position: number;
  /** All documents of a table leave the pipeline. */
  table(table: DocumentTable): void;
  /** So many inputs were dropped. */
  dropped(count: number): void;
}

/** Takes single documents from tables, in order. */
export interface DocumentFeed {
  /** Whether a stage waits for an answer. All documents that come later must wait too. */
  readonly isWaiting: boolean;
  /**
   * Sends a document through the stages, starting at a stage number, or lets it wait.
   * @param result what the stage before that number returned, if it must still be processed
   */
  feed(document: Document, from: number, position: number, result?: StageResult | Promise<StageResult>): void;
}

/**
 * Whether a whole table can go through these stages at once: no stage emits children, waits, or is slow. Until a stage
 * has processed documents, nothing is known about it.
 */
export function suitTables(steps: readonly Step[]): boolean {
  return steps.every((step) => takesTables(step) || (!step.emits && !isSlow(step)));
}

function isSlow({ statistics: { timed, timedMillis } }: Step): boolean {
  return timedMillis > SLOW_MILLIS * timed;
}

/**
 * Sends tables through all stages. Where a stage does not support them, their documents go through it, and the stages
 * like it after it, one by one, and form a table again.
 */
export class TablePass {
  readonly #steps: readonly Step[];
  readonly #sink: TableSink;
  readonly #feeder: DocumentFeed;

  constructor(steps: readonly Step[], sink: TableSink, feeder: DocumentFeed) {
    this.#steps = steps;
    this.#sink = sink;
    this.#feeder = feeder;
  }

  /** Sends documents through all stages, and out of the pipeline. */
  run(documents: DocumentTable | DocumentList): void {
    if (!(documents instanceof DocumentList)) this.#runTable(documents, 0);
    else if (!this.#gainsByTable(documents.document(0), 0) || !takesTables(this.#steps[0] as Step)) {
      this.#runDocuments(documents, 0);
    } else for (const table of documents.tables()) this.#runTable(table, 0);
  }

  /** Whether the stages from a number on save more time than it takes to form a table of such documents. */
  #gainsByTable({ fieldNames }: Document, from: number): boolean {
    let stages = 0;
    for (let i = from; i < this.#steps.length; i++) if (takesTables(this.#steps[i] as Step)) stages++;
    return fieldNames.length <= stages * FIELDS_PER_STAGE;
  }

  #runTable(input: DocumentTable, from: number): void {
    const steps = this.#steps;
    let table = input;
    for (let i = from; ; i++) {
      if (table.hasBypassed && table.has('___dropped')) table = this.#withoutDropped(table);
      if (table.count === 0) return;
      if (table.hasBypassed) this.#splitSkipped(table, i);
      else if (this.#feeder.isWaiting) this.#feedAll(table, i);
      else if (i === steps.length) this.#sink.table(table);
      else if (callWithTable(steps[i] as Step, table)) continue;
      else this.#runDocuments(table, i);
      return;
    }
  }

  #feedAll(rows: DocumentRows, from: number): void {
    for (let row = 0; row < rows.count; row++) this.#feeder.feed(rows.document(row), from, rows.position(row));
  }

  #withoutDropped(table: DocumentTable): DocumentTable {
    const kept = rowsWithout(table, '___dropped');
    this.#sink.dropped(table.count - kept.length);
    const rest = table.select(kept);
    rest.delete('___dropped');
    return rest;
  }

  /** Skipped documents leave the pipeline between the others. */
  #splitSkipped(table: DocumentTable, at: number): void {
    const skipped = table.column('___skipped');
    for (let row = 0; row < table.count; row++) {
      if (skipped?.[row] !== undefined) {
        this.#feeder.feed(table.document(row), this.#steps.length, table.position(row));
        continue;
      }
      const rows: number[] = [];
      for (; row < table.count && skipped?.[row] === undefined; row++) rows.push(row);
      row--;
      const others = table.select(rows);
      others.delete('___skipped');
      this.#runTable(others, at);
    }
  }

  /**
   * Sends the documents through the stages, one by one, up to the next stage that supports tables. If there is none, or
   * a table does not save time, they leave the pipeline one by one.
   */
  #runDocuments(rows: DocumentRows, from: number): void {
    const steps = this.#steps;
    const first = rows.document(0);
    let to = Math.min(from + 1, steps.length);
    while (to < steps.length && !takesTables(steps[to] as Step)) to++;
    if (to < steps.length && !this.#gainsByTable(first, to)) to = steps.length;
    const builder = to < steps.length ? new TableBuilder() : undefined;
    const flush = () => {
      if (builder !== undefined && builder.count > 0) this.#runTable(builder.take(), to);
    };
    for (let row = 0; row < rows.count; row++) {
      const document = row === 0 ? first : rows.document(row);
      const position = rows.position(row);
      if (this.#feeder.isWaiting) {
        this.#feeder.feed(document, from, position);
        continue;
      }
      const left = this.#call(document, position, from, to);
      if (left === 'gone') continue;
      if (left !== undefined) {
        flush();
        this.#feeder.feed(document, left.at, position, left.result);
      } else if (builder === undefined) {
        this.#sink.position = position;
        this.#sink.emit(document, false);
        this.#sink.finished(document);
      } else if (!builder.add(document, position)) {
        flush();
        builder.add(document, position);
      }
    }
    flush();
  }

  /**
   * Calls the stages `[from, to)` with a document. Undefined if it then belongs to the table; `gone` if it failed or
   * was dropped; otherwise where it must continue alone.
   */
  #call(document: Document, position: number, from: number, to: number) {
    try {
      for (let i = from; i < to && !document.bypassed; i++) {
        const step = this.#steps[i] as Step;
        if (step.condition !== undefined && !step.condition(document)) continue;
        const result = callStage(step, document);
        if (isGiven(result)) {
          step.emits = true;
          return { at: i + 1, result };
        }
      }
    } catch (error) {
      this.#sink.position = position;
      this.#sink.failedDocument(document, error as StageError);
      return 'gone';
    }
    if (document.dropped) {
      this.#sink.dropped(1);
      return 'gone';
    }
    return document.skipped && to < this.#steps.length ? { at: this.#steps.length, result: undefined } : undefined;
  }
}

function rowsWithout(table: DocumentTable, name: string): number[] {
  const column = table.column(name);
  const rows: number[] = [];
  for (let row = 0; row < table.count; row++) if (column?.[row] === undefined) rows.push(row);
  return rows;
}
