import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { DocumentList } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { GroupBuilder, TableGroup } from '../document/table-group.ts';
import { RowDocuments } from './row-documents.ts';
import type { RowSchedule } from './rows.ts';
import type { DocumentFeed, Output, TableSink } from './sink.ts';
import type { StageCall } from './stage-call.ts';
import { StageError } from './stage-error.ts';
import { TableGain } from './table-gain.ts';

/**
 * The number of fields for which building a table takes as long as one stage saves by it. Documents with more fields
 * per stage are not collected into a table.
 */
const FIELDS_PER_STAGE = 5;

/** A document with more children than this leaves the table, because its children may need much memory. */
const MAX_CHILDREN = 64;
/** After this number of groups with a child that failed or waited, groups are no longer built. */
const MAX_BROKEN = 4;

/** Thrown if a child fails or waits after it was collected: its family must then be processed alone. */
const BROKEN = new Error('a child must be processed alone');

/** Thrown if a document must leave its table: it continues alone from a stage on, with the result of the one before. */
class Continuation {
  readonly from: number;
  readonly result: Children | Promise<StageResult>;

  constructor(from: number, result: Children | Promise<StageResult>) {
    this.from = from;
    this.result = result;
  }
}

/** Stages that get single documents, from `from` to `to` (exclusive), and what receives the documents after them. */
interface Segment {
  readonly from: number;
  readonly to: number;
  /** Collects the documents for the stages after `to`. Undefined: they leave the pipeline. */
  readonly builder: GroupBuilder | undefined;
  /** True if the documents are rows of the tables of a group. */
  readonly ofRows: boolean;
}

/**
 * The schedule for tables: a table passes through a stage as a whole. If a stage does not support tables, the documents
 * pass through it, and through similar stages after it, one at a time. Then they form tables again, together with their
 * children. Each stage gets the documents in order. It gets all of them before the next stage, because a loop over one
 * stage is faster. Columns are only read in `document` and in the stages.
 */
export class TableSchedule {
  readonly #calls: readonly StageCall[];
  readonly #rows: RowSchedule;
  readonly #sink: TableSink;
  readonly #feed: DocumentFeed;
  readonly #gain = new TableGain();
  /** True while a group with children passes through the stages. */
  #inFamilies = false;
  #broken = 0;
  /**
   * The stages after which tables are built of complete documents, because the stages use all fields of most documents.
   */
  readonly #wholeFrom = new Set<number>();

  /**
   * @param rows sends the documents through stages whose children or promises separate them from their table
   * @param feed receives the documents that leave their table before the last stage
   */
  constructor(calls: readonly StageCall[], rows: RowSchedule, sink: TableSink, feed: DocumentFeed) {
    this.#calls = calls;
    this.#rows = rows;
    this.#sink = sink;
    this.#feed = feed;
  }

  /**
   * True if whole tables can pass through these stages: every stage supports tables, or never waits and is fast.
   * Before a stage has processed documents, this is unknown.
   */
  get suits(): boolean {
    const { needsFamilies } = this.#sink;
    const suits = ({ waits, isSlow, emits }: StageCall) => !waits && !isSlow && !(emits && needsFamilies);
    return this.#broken < MAX_BROKEN && this.#calls.every((call) => call.takesTables || suits(call));
  }

  /**
   * Sends documents through all stages and out of the pipeline. Returns false if the documents must be decoded again
   * and processed one at a time. The caller must then undo all effects.
   */
  process(documents: DocumentTable | DocumentList): boolean {
    this.#inFamilies = false;
    try {
      if (documents instanceof DocumentList) this.#runList(documents);
      else this.#runGroup(new TableGroup([documents]), 0);
      return true;
    } catch (error) {
      if (error !== BROKEN) throw error;
      this.#broken++;
      return false;
    }
  }

  /**
   * Sends a table through the first stages, up to one that does not support tables, or that drops or skips documents.
   * If there is no such stage, the documents leave the pipeline.
   * @returns the number of the stage from which the documents must continue one at a time, if they have not left
   */
  processFirst(table: DocumentTable): number | undefined {
    const calls = this.#calls;
    let from = 0;
    while (from < calls.length && !table.hasBypassed && (calls[from] as StageCall).callTable(table, false)) from++;
    if (from < calls.length || table.hasBypassed) return from;
    this.#sink.group(new TableGroup([table]));
    return undefined;
  }

  #runList(documents: DocumentList): void {
    const isGain =
      this.#gainsByTable(documents.document(0), 0) &&
      (this.#calls[0] as StageCall).takesTables &&
      this.#gain.isExpected(documents.count);
    const groups = isGain ? documents.groups((count) => this.#gain.note(count)) : undefined;
    if (groups !== undefined) for (const group of groups) this.#runGroup(group, 0);
    else this.#runWhole(new RowDocuments(documents), 0);
  }

  /** Returns true if the stages from a number on save more time than building a table of such documents takes. */
  #gainsByTable({ fieldNames }: Document, from: number): boolean {
    let stages = 0;
    for (let i = from; i < this.#calls.length; i++) if ((this.#calls[i] as StageCall).takesTables) stages++;
    return fieldNames.length <= stages * FIELDS_PER_STAGE;
  }

  #runGroup(input: TableGroup, from: number): void {
    const calls = this.#calls;
    const outside = this.#inFamilies;
    this.#inFamilies ||= input.hasChildren;
    let group = input;
    for (let i = from; ; i++) {
      if (group.tables.some((table) => table.hasBypassed)) {
        const { inputs, children, others } = group.withoutBypassed();
        this.#sink.dropped(inputs, children);
        group = others;
      }
      if (i < calls.length && !this.#feed.isWaiting && (calls[i] as StageCall).callTables(group.tables)) continue;
      if (i === calls.length && !this.#feed.isWaiting) this.#sink.group(group);
      else this.#runDocuments(group, i);
      break;
    }
    this.#inFamilies = outside;
  }

  #runDocuments(group: TableGroup, from: number): void {
    const to = this.#nextTableStage(from);
    const isWhole = this.#wholeFrom.has(from) || (to === this.#calls.length && !this.#sink.prefersTables);
    const builder = isWhole ? undefined : new GroupBuilder(group);
    const rows = new RowDocuments(group, builder);
    if (builder === undefined) {
      this.#runWhole(rows, from);
      return;
    }
    this.#runSegment(rows, { from, to, builder, ofRows: true });
    if (builder.copied > rows.documents.length / 2) this.#wholeFrom.add(from);
  }

  /**
   * Sends documents with their own values through the stages, up to the next stage that supports tables. If there is no
   * such stage, or if a table saves no time, the documents leave the pipeline one at a time.
   */
  #runWhole(rows: RowDocuments, from: number): void {
    const [first] = rows.documents;
    if (first === undefined) return;
    const to = this.#nextTableStage(from);
    const end = this.#calls.length;
    const isGain = to < end && this.#gainsByTable(first, to) && this.#gain.isExpected(rows.documents.length);
    this.#runSegment(
      rows,
      isGain
        ? { from, to, builder: new GroupBuilder(), ofRows: false }
        : { from, to: end, builder: undefined, ofRows: false },
    );
  }

  /** Returns the number of the next stage after this one that supports tables, or the number of stages. */
  #nextTableStage(from: number): number {
    const calls = this.#calls;
    let to = Math.min(from + 1, calls.length);
    while (to < calls.length && !(calls[to] as StageCall).takesTables) to++;
    return to;
  }

  #runSegment(rows: RowDocuments, segment: Segment): void {
    if (this.#feed.isWaiting) this.#feedAll(rows, 0, rows.documents.length, segment.from);
    else this.#runStages(rows, 0, rows.documents.length, segment.from, segment);
    if (segment.builder !== undefined) this.#flush(segment.builder, segment.to);
  }

  /**
   * Sends the documents from `start` to `end` (exclusive) through the stages of a segment from a number on. A document
   * whose stage emits children or waits continues alone, after the documents before it.
   */
  #runStages(rows: RowDocuments, start: number, end: number, from: number, segment: Segment): void {
    let first = start;
    for (let i = from; i < segment.to; i++) {
      for (let at = first; ; at++) {
        at = this.#callEach(this.#calls[i] as StageCall, rows, at, end);
        if (at === end) break;
        const result = rows.result as Children | Promise<StageResult>;
        this.#runStages(rows, first, at, i + 1, segment);
        this.#runAlone(rows, at, i + 1, segment, result);
        first = at + 1;
        if (this.#feed.isWaiting) {
          this.#feedAll(rows, first, end, i);
          return;
        }
      }
    }
    for (let at = first; at < end; at++) {
      if (segment.ofRows) at = (segment.builder as GroupBuilder).addRun(rows.documents, at, end);
      if (at < end && rows.documents[at] !== undefined) this.#leaveRow(rows, at, segment);
    }
  }

  /**
   * Sends documents to a stage. Ends at a document for which the stage returns children or a promise, and keeps this
   * result. Returns the number of this document, or `end`.
   */
  #callEach(call: StageCall, rows: RowDocuments, start: number, end: number): number {
    for (let at = start; ; at++) {
      at = call.callEach(rows.documents, at, end, rows);
      if (rows.error === undefined) return at;
      this.#fail(rows, at, rows.error);
      rows.error = undefined;
    }
  }

  #fail(rows: RowDocuments, at: number, error: StageError): void {
    // The earlier members of the family have left, so a child cannot be rolled back alone.
    if (rows.isChild(at)) throw BROKEN;
    this.#sink.position = rows.position(at);
    this.#sink.failedDocument(rows.documents[at] as Document, error);
    rows.documents[at] = undefined;
  }

  /** Lets documents wait for the documents before them. */
  #feedAll(rows: RowDocuments, start: number, end: number, from: number): void {
    for (let at = start; at < end; at++) {
      const document = rows.documents[at];
      if (document !== undefined) this.#feed.feed(document, from, rows.position(at));
    }
  }

  /** Sends a document, with the result of the stage before `from`, through the stages of a segment from a number on. */
  #runAlone(
    rows: RowDocuments,
    at: number,
    from: number,
    segment: Segment,
    result: Children | Promise<StageResult>,
  ): void {
    const document = rows.documents[at] as Document;
    const position = rows.position(at);
    const isChild = rows.isChild(at);
    const feed = this.#feed;
    if (feed.isWaiting) {
      feed.feed(document, from, position, result);
      return;
    }
    const output: Output = {
      full: false,
      relieve: async () => true,
      maxChildren: MAX_CHILDREN,
      emit: (left) => {
        if (left === document) this.#leaveRow(rows, at, segment);
        else if (this.#sink.needsFamilies) throw BROKEN;
        else this.#leave(left, position, true, segment);
      },
      defer: (deferred, stage, rest) => {
        if (deferred !== document || isChild || this.#inFamilies) throw BROKEN;
        throw new Continuation(stage, rest);
      },
    };
    try {
      this.#rows.runAfter(result, document, from, segment.to, output);
    } catch (error) {
      if (error instanceof StageError) {
        this.#fail(rows, at, error);
        return;
      }
      if (!(error instanceof Continuation)) throw error;
      if (segment.builder !== undefined) this.#flush(segment.builder, segment.to);
      feed.feed(document, error.from, position, error.result);
    }
  }

  #leaveRow(rows: RowDocuments, at: number, segment: Segment): void {
    const table = segment.ofRows ? rows.table(at) : undefined;
    this.#leave(rows.documents[at] as Document, rows.position(at), rows.isChild(at), segment, table, rows.row(at));
  }

  /**
   * Adds a document to the builder of a segment, or lets it leave the pipeline.
   * @param table the number of the table of the document in its group, if it is a row there
   */
  #leave(
    document: Document,
    position: number,
    isChild: boolean,
    { to, builder }: Segment,
    table?: number,
    row?: number,
  ): void {
    const sink = this.#sink;
    if (document.dropped) sink.dropped(isChild ? 0 : 1, isChild ? 1 : 0);
    else if (builder === undefined) {
      sink.position = position;
      sink.emit(document, isChild);
      if (!isChild) sink.finished(document);
    } else {
      if (!builder.add(document, position, isChild, table, row)) {
        this.#gain.note(builder.count);
        this.#flush(builder, to);
        builder.add(document, position, isChild, table, row);
      }
      if (builder.isFull && !isChild) this.#flush(builder, to);
    }
  }

  #flush(builder: GroupBuilder, from: number): void {
    if (builder.count > 0) this.#runGroup(builder.take(), from);
  }
}
