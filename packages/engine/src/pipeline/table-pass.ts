import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { DocumentList, type DocumentRows } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { TableBuilder } from '../document/table-builder.ts';
import { isGiven } from './children.ts';
import type { PipelineSink } from './pipeline.ts';
import type { StageError } from './stage-error.ts';
import { callStage, callWithTable, type Step, takesTables } from './step.ts';
import { TableGain } from './table-gain.ts';

/**
 * The minimum time of a slow stage per document, in milliseconds. A slow stage is not faster with tables, and would
 * delay the end of a table.
 */
const SLOW_MILLIS = 0.05;

/**
 * The number of fields for which building a table takes as long as one stage saves by it. Documents with more fields
 * per stage are not collected into a table.
 */
const FIELDS_PER_STAGE = 5;

/** Receives the documents of a table when they leave the pipeline. */
export interface TableSink extends PipelineSink {
  /** The position of the next document in its batch. */
  position: number;
  /** Receives a table whose documents all leave the pipeline. */
  table(table: DocumentTable): void;
  /** Counts inputs that were dropped. */
  dropped(count: number): void;
}

/** Processes single documents of tables, in order. */
export interface DocumentFeed {
  /** True if a stage waits for a promise. Later documents must then wait too. */
  readonly isWaiting: boolean;
  /**
   * Sends a document through the stages from a number on, or lets it wait.
   * @param result the result of the stage before that number, if it must still be processed
   */
  feed(document: Document, from: number, position: number, result?: StageResult | Promise<StageResult>): void;
}

/**
 * Returns true if whole tables can pass through these stages: every stage supports tables, or emits no children, never
 * waits and is fast. Before a stage has processed documents, this is unknown.
 */
export function suitTables(steps: readonly Step[]): boolean {
  return steps.every((step) => takesTables(step) || (!step.emits && !isSlow(step)));
}

function isSlow({ statistics: { timed, timedMillis } }: Step): boolean {
  return timedMillis > SLOW_MILLIS * timed;
}

/**
 * Sends tables through all stages. If a stage does not support tables, the documents pass through it, and through
 * similar stages after it, one at a time. Then they form a table again.
 */
export class TablePass {
  readonly #steps: readonly Step[];
  readonly #sink: TableSink;
  readonly #feeder: DocumentFeed;
  readonly #gain = new TableGain();

  constructor(steps: readonly Step[], sink: TableSink, feeder: DocumentFeed) {
    this.#steps = steps;
    this.#sink = sink;
    this.#feeder = feeder;
  }

  /** Sends documents through all stages and out of the pipeline. */
  run(documents: DocumentTable | DocumentList): void {
    if (!(documents instanceof DocumentList)) {
      this.#runTable(documents, 0);
      return;
    }
    const isGain =
      this.#gainsByTable(documents.document(0), 0) &&
      takesTables(this.#steps[0] as Step) &&
      this.#gain.isExpected(documents.count);
    const tables = isGain ? documents.tables((count) => this.#gain.note(count)) : undefined;
    if (tables === undefined) this.#runDocuments(documents, 0);
    else for (const table of tables) this.#runTable(table, 0);
  }

  /** Returns true if the stages from a number on save more time than building a table of such documents takes. */
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

  /** Lets skipped documents leave the pipeline, in order with the other documents. */
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
   * Sends documents through the stages one at a time, up to the next stage that supports tables. If there is no such
   * stage, or if a table saves no time, the documents leave the pipeline one at a time.
   */
  #runDocuments(rows: DocumentRows, from: number): void {
    const steps = this.#steps;
    const first = rows.document(0);
    let to = Math.min(from + 1, steps.length);
    while (to < steps.length && !takesTables(steps[to] as Step)) to++;
    if (to < steps.length && !(this.#gainsByTable(first, to) && this.#gain.isExpected(rows.count))) to = steps.length;
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
        this.#gain.note(builder.count);
        flush();
        builder.add(document, position);
      }
    }
    flush();
  }

  /**
   * Calls the stages from `from` to `to` (exclusive) with a document. Returns undefined if the document then belongs to
   * the table, `gone` if it failed or was dropped, and otherwise the position at which it must continue alone.
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
