import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { DocumentList } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { GroupBuilder, TableGroup } from '../document/table-group.ts';
import { adopt, closeChildren, isGiven, iterateChildren } from './children.ts';
import { Passing } from './passing.ts';
import type { StageError } from './stage-error.ts';
import {
  callEach,
  callStage,
  callWithGroup,
  failure,
  isPromise,
  meetsCondition,
  type Step,
  takesTables,
} from './step.ts';
import { TableGain } from './table-gain.ts';
import type { DocumentFeed, TableSink } from './table-sink.ts';

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

/** A document with more children than this leaves the table, because its children may need much memory. */
const MAX_CHILDREN = 64;
/** After this number of groups with a child that failed or waited, groups are no longer built. */
const MAX_BROKEN = 4;

/** Thrown if a child fails or waits after it was collected: its family must then be processed alone. */
const BROKEN = new Error('a child must be processed alone');

/** Thrown if a document must continue alone from a stage on. */
class Leaving {
  readonly from: number;
  readonly result: StageResult | Promise<StageResult>;

  constructor(from: number, result: StageResult | Promise<StageResult>) {
    this.from = from;
    this.result = result;
  }
}

/** A sequence of stages that get single documents, and what receives the documents after it. */
interface Passage {
  readonly from: number;
  readonly to: number;
  /** Collects the documents for the stages after `to`. Undefined: they leave the pipeline. */
  readonly builder: GroupBuilder | undefined;
  /** True if the documents are rows of the tables of a group. */
  readonly ofRows: boolean;
}

/**
 * Sends tables through all stages. If a stage does not support tables, the documents pass through it, and through
 * similar stages after it, one at a time. Then they form tables again, together with their children. Each stage gets
 * the documents in order. It gets all of them before the next stage, because a loop over one stage is faster.
 */
export class TablePass {
  readonly #steps: readonly Step[];
  readonly #sink: TableSink;
  readonly #feeder: DocumentFeed;
  readonly #gain = new TableGain();
  /** True while a group with children passes through the stages. */
  #inFamilies = false;
  #broken = 0;
  /**
   * The stages after which tables are built of complete documents, because the stages use all fields of most documents.
   */
  readonly #wholeFrom = new Set<number>();

  constructor(steps: readonly Step[], sink: TableSink, feeder: DocumentFeed) {
    this.#steps = steps;
    this.#sink = sink;
    this.#feeder = feeder;
  }

  /**
   * True if whole tables can pass through these stages: every stage supports tables, or never waits and is fast.
   * Before a stage has processed documents, this is unknown.
   */
  get suits(): boolean {
    const { needsFamilies } = this.#sink;
    const suits = (step: Step) => !step.waits && !isSlow(step) && !(step.emits && needsFamilies);
    return this.#broken < MAX_BROKEN && this.#steps.every((step) => takesTables(step) || suits(step));
  }

  /**
   * Sends documents through all stages and out of the pipeline. Returns false if the documents must be decoded again
   * and processed one at a time. The caller must then undo all effects.
   */
  run(documents: DocumentTable | DocumentList): boolean {
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

  #runList(documents: DocumentList): void {
    const isGain =
      this.#gainsByTable(documents.document(0), 0) &&
      takesTables(this.#steps[0] as Step) &&
      this.#gain.isExpected(documents.count);
    const groups = isGain ? documents.groups((count) => this.#gain.note(count)) : undefined;
    if (groups !== undefined) for (const group of groups) this.#runGroup(group, 0);
    else this.#runWhole(new Passing(documents), 0);
  }

  /** Returns true if the stages from a number on save more time than building a table of such documents takes. */
  #gainsByTable({ fieldNames }: Document, from: number): boolean {
    let stages = 0;
    for (let i = from; i < this.#steps.length; i++) if (takesTables(this.#steps[i] as Step)) stages++;
    return fieldNames.length <= stages * FIELDS_PER_STAGE;
  }

  #runGroup(input: TableGroup, from: number): void {
    const steps = this.#steps;
    const outside = this.#inFamilies;
    this.#inFamilies ||= input.hasChildren;
    let group = input;
    for (let i = from; ; i++) {
      if (group.tables.some((table) => table.hasBypassed)) {
        const { inputs, children, others } = group.withoutBypassed();
        this.#sink.dropped(inputs, children);
        group = others;
      }
      if (i < steps.length && !this.#feeder.isWaiting && callWithGroup(steps[i] as Step, group.tables)) continue;
      if (i === steps.length && !this.#feeder.isWaiting) this.#sink.group(group);
      else this.#runDocuments(group, i);
      break;
    }
    this.#inFamilies = outside;
  }

  #runDocuments(group: TableGroup, from: number): void {
    const to = this.#nextTableStage(from);
    const isWhole = this.#wholeFrom.has(from) || (to === this.#steps.length && !this.#sink.prefersTables);
    const builder = isWhole ? undefined : new GroupBuilder(group);
    const passing = new Passing(group, builder);
    if (builder === undefined) {
      this.#runWhole(passing, from);
      return;
    }
    this.#runPassage(passing, { from, to, builder, ofRows: true });
    if (builder.copied > passing.documents.length / 2) this.#wholeFrom.add(from);
  }

  /**
   * Sends documents with their own values through the stages, up to the next stage that supports tables. If there is no
   * such stage, or if a table saves no time, the documents leave the pipeline one at a time.
   */
  #runWhole(passing: Passing, from: number): void {
    const [first] = passing.documents;
    if (first === undefined) return;
    const to = this.#nextTableStage(from);
    const end = this.#steps.length;
    const isGain = to < end && this.#gainsByTable(first, to) && this.#gain.isExpected(passing.documents.length);
    this.#runPassage(
      passing,
      isGain
        ? { from, to, builder: new GroupBuilder(), ofRows: false }
        : { from, to: end, builder: undefined, ofRows: false },
    );
  }

  /** Returns the number of the next stage after this one that supports tables, or the number of stages. */
  #nextTableStage(from: number): number {
    const steps = this.#steps;
    let to = Math.min(from + 1, steps.length);
    while (to < steps.length && !takesTables(steps[to] as Step)) to++;
    return to;
  }

  #runPassage(passing: Passing, passage: Passage): void {
    if (this.#feeder.isWaiting) this.#feed(passing, 0, passing.documents.length, passage.from);
    else this.#runStages(passing, 0, passing.documents.length, passage.from, passage);
    if (passage.builder !== undefined) this.#flush(passage.builder, passage.to);
  }

  /**
   * Sends the documents from `start` to `end` (exclusive) through the stages of a passage from a number on. A document
   * whose stage emits children or waits continues alone, after the documents before it.
   */
  #runStages(passing: Passing, start: number, end: number, from: number, passage: Passage): void {
    let first = start;
    for (let i = from; i < passage.to; i++) {
      for (let at = first; ; at++) {
        at = this.#callEach(this.#steps[i] as Step, passing, at, end);
        if (at === end) break;
        const result = passing.result as Children | Promise<StageResult>;
        this.#runStages(passing, first, at, i + 1, passage);
        this.#runAlone(passing, at, i + 1, passage, result);
        first = at + 1;
        if (this.#feeder.isWaiting) {
          this.#feed(passing, first, end, i);
          return;
        }
      }
    }
    for (let at = first; at < end; at++) {
      if (passage.ofRows) at = (passage.builder as GroupBuilder).addRun(passing.documents, at, end);
      const document = passing.documents[at];
      if (at === end || document === undefined) continue;
      this.#leave(
        document,
        passing.position(at),
        passing.isChild(at),
        passage,
        tableOf(passing, at, passage),
        passing.row(at),
      );
    }
  }

  /**
   * Sends documents to a stage. Ends at a document for which the stage returns children or a promise, and keeps this
   * result. Returns the number of this document, or `end`.
   */
  #callEach(step: Step, passing: Passing, start: number, end: number): number {
    for (let at = start; ; at++) {
      at = callEach(step, passing.documents, at, end, passing);
      if (passing.error === undefined) return at;
      this.#fail(passing, at, passing.error);
      passing.error = undefined;
    }
  }

  #fail(passing: Passing, at: number, error: StageError): void {
    // The earlier members of the family have left, so a child cannot be rolled back alone.
    if (passing.isChild(at)) throw BROKEN;
    this.#sink.position = passing.position(at);
    this.#sink.failedDocument(passing.documents[at] as Document, error);
    passing.documents[at] = undefined;
  }

  /** Lets documents wait for the documents before them. */
  #feed(passing: Passing, start: number, end: number, from: number): void {
    for (let at = start; at < end; at++) {
      const document = passing.documents[at];
      if (document === undefined) continue;
      this.#feeder.feed(document, document.bypassed ? this.#steps.length : from, passing.position(at));
    }
  }

  /** Sends a document, with the result of the stage before `from`, through the stages of a passage from a number on. */
  #runAlone(
    passing: Passing,
    at: number,
    from: number,
    passage: Passage,
    result: Children | Promise<StageResult>,
  ): void {
    const document = passing.documents[at] as Document;
    const position = passing.position(at);
    const isChild = passing.isChild(at);
    const feeder = this.#feeder;
    if (feeder.isWaiting) {
      feeder.feed(document, from, position, result);
      return;
    }
    try {
      this.#after(result, document, position, from, passage);
      this.#through(document, position, isChild, from, passage, tableOf(passing, at, passage), passing.row(at));
    } catch (error) {
      if (error === BROKEN || (error instanceof Leaving && (isChild || this.#inFamilies))) throw BROKEN;
      if (!(error instanceof Leaving)) {
        this.#fail(passing, at, error as StageError);
        return;
      }
      if (passage.builder !== undefined) this.#flush(passage.builder, passage.to);
      feeder.feed(document, error.from, position, error.result);
    }
  }

  /** Sends a document through the stages of a passage from a number on, its children first. */
  #through(
    document: Document,
    position: number,
    isChild: boolean,
    from: number,
    passage: Passage,
    table?: number,
    row?: number,
  ): void {
    for (let i = from; i < passage.to && !document.bypassed; i++) {
      const step = this.#steps[i] as Step;
      if (!meetsCondition(step, document)) continue;
      const result = callStage(step, document);
      if (isGiven(result)) this.#after(result, document, position, i + 1, passage);
    }
    this.#leave(document, position, isChild, passage, table, row);
  }

  /** Processes the result of the stage before `from` for a document. */
  #after(
    result: Children | Promise<StageResult>,
    document: Document,
    position: number,
    from: number,
    passage: Passage,
  ): void {
    const step = this.#steps[from - 1] as Step;
    if (isPromise(result)) {
      step.waits = true;
      throw new Leaving(from, result);
    }
    step.emits = true;
    if (this.#sink.needsFamilies) throw BROKEN;
    let iterator: Iterator<Document> | undefined;
    try {
      iterator = iterateChildren(result);
      for (let made = 0; ; made++) {
        if (made === MAX_CHILDREN) {
          const rest = iterator;
          iterator = undefined;
          throw new Leaving(from, { [Symbol.iterator]: () => rest });
        }
        const { done, value } = iterator.next();
        if (done === true) return;
        step.statistics.children++;
        adopt(value, document);
        try {
          this.#through(value, position, true, from, passage);
        } catch (error) {
          throw error instanceof Leaving ? BROKEN : error;
        }
      }
    } catch (error) {
      closeChildren(iterator);
      throw error === BROKEN || error instanceof Leaving ? error : failure(step, error);
    }
  }

  /** Adds a document to the builder of a passage, or lets it leave the pipeline. */
  #leave(
    document: Document,
    position: number,
    isChild: boolean,
    { to, builder }: Passage,
    table: number | undefined,
    row: number | undefined,
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

/** Returns the number of the table of a document. Undefined if the document is no row of a table of its group. */
function tableOf(passing: Passing, at: number, { ofRows }: Passage): number | undefined {
  return ofRows ? passing.table(at) : undefined;
}

function isSlow({ paced, pacedMillis }: Step): boolean {
  return pacedMillis > SLOW_MILLIS * paced;
}
