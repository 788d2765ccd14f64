import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { DocumentList } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { GroupBuilder, TableGroup } from '../document/table-group.ts';
import { adopt, closeChildren, isGiven, iterateChildren } from './children.ts';
import type { PipelineSink } from './pipeline.ts';
import type { StageError } from './stage-error.ts';
import { callStage, callWithGroup, failure, isPromise, type Step, takesTables } from './step.ts';
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

/** A document with more children than this leaves the table, because its children may need much memory. */
const MAX_CHILDREN = 64;
/** After this number of groups with a child that failed or waited, groups are no longer built. */
const MAX_BROKEN = 4;

/** Receives the documents of a table when they leave the pipeline. */
export interface TableSink extends PipelineSink {
  /** The position of the next document in its batch. */
  position: number;
  /** True if a child must leave directly before its parent, without documents of other families between them. */
  readonly needsFamilies: boolean;
  /** Receives a group whose documents all leave the pipeline. */
  group(group: TableGroup): void;
  /** Counts inputs and children that were dropped. */
  dropped(inputs: number, children: number): void;
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
}

/**
 * Sends tables through all stages. If a stage does not support tables, the documents pass through it, and through
 * similar stages after it, one at a time. Then they form tables again, together with their children.
 */
export class TablePass {
  readonly #steps: readonly Step[];
  readonly #sink: TableSink;
  readonly #feeder: DocumentFeed;
  readonly #gain = new TableGain();
  /** True while a group with children passes through the stages. */
  #inFamilies = false;
  #broken = 0;

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
    else this.#runRows(documents.count, (visit) => documents.each(visit), 0);
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
      if (group.tables.some((table) => table.hasBypassed)) group = this.#withoutBypassed(group);
      if (i < steps.length && !this.#feeder.isWaiting && callWithGroup(steps[i] as Step, group.tables)) continue;
      if (i === steps.length && !this.#feeder.isWaiting) this.#sink.group(group);
      else this.#runDocuments(group, i);
      break;
    }
    this.#inFamilies = outside;
  }

  /** Counts dropped documents. Moves skipped documents to those that skip the remaining stages. */
  #withoutBypassed(group: TableGroup): TableGroup {
    const tables: DocumentTable[] = [];
    const skipped = [...group.skipped];
    for (const table of group.tables) {
      if (!table.hasBypassed) {
        tables.push(table);
        continue;
      }
      const rows = { dropped: [] as number[], skipped: [] as number[], kept: [] as number[] };
      const [drops, skips] = [table.column('___dropped'), table.column('___skipped')];
      for (let row = 0; row < table.count; row++) {
        const kind = drops?.[row] !== undefined ? 'dropped' : skips?.[row] !== undefined ? 'skipped' : 'kept';
        rows[kind].push(row);
      }
      const children = rows.dropped.filter((row) => group.isChild(table.position(row))).length;
      this.#sink.dropped(rows.dropped.length - children, children);
      if (rows.skipped.length > 0) skipped.push(table.select(rows.skipped));
      if (rows.kept.length === 0) continue;
      const kept = table.select(rows.kept);
      kept.delete('___dropped');
      kept.delete('___skipped');
      tables.push(kept);
    }
    return group.with(tables, skipped);
  }

  #runDocuments(group: TableGroup, from: number): void {
    const { tables } = group;
    const count = [...tables, ...group.skipped].reduce((sum, table) => sum + table.count, 0);
    const each = (visit: Visit) =>
      group.each((table, row) => {
        const place = table.position(row);
        visit(table.document(row), group.position(place), group.isChild(place));
      });
    this.#runRows(count, each, from);
  }

  /**
   * Sends documents through the stages one at a time, up to the next stage that supports tables. If there is no such
   * stage, or if a table saves no time, the documents leave the pipeline one at a time.
   */
  #runRows(count: number, each: (visit: Visit) => void, from: number): void {
    let passage: Passage | undefined;
    each((document, position, isChild) => {
      passage ??= this.#passage(document, count, from);
      this.#runRow(document, position, isChild, passage);
    });
    if (passage?.builder !== undefined) this.#flush(passage.builder, passage.to);
  }

  #passage(first: Document, count: number, from: number): Passage {
    const steps = this.#steps;
    let to = Math.min(from + 1, steps.length);
    while (to < steps.length && !takesTables(steps[to] as Step)) to++;
    if (to < steps.length && this.#gainsByTable(first, to) && this.#gain.isExpected(count)) {
      return { from, to, builder: new GroupBuilder() };
    }
    return { from, to: steps.length, builder: undefined };
  }

  #runRow(document: Document, position: number, isChild: boolean, passage: Passage): void {
    const { from, to, builder } = passage;
    const feeder = this.#feeder;
    if (feeder.isWaiting) {
      feeder.feed(document, document.bypassed ? this.#steps.length : from, position);
      return;
    }
    try {
      this.#through(document, position, isChild, from, passage);
    } catch (error) {
      if (error === BROKEN) throw error;
      // The earlier members of the family have left, so this child cannot be rolled back alone.
      if (isChild) throw BROKEN;
      if (error instanceof Leaving) {
        if (this.#inFamilies) throw BROKEN;
        if (builder !== undefined) this.#flush(builder, to);
        feeder.feed(document, error.from, position, error.result);
        return;
      }
      this.#sink.position = position;
      this.#sink.failedDocument(document, error as StageError);
      return;
    }
    if (builder?.isFull === true) this.#flush(builder, to);
  }

  /** Sends a document through the stages of a passage from a number on, its children first. */
  #through(document: Document, position: number, isChild: boolean, from: number, passage: Passage): void {
    for (let i = from; i < passage.to && !document.bypassed; i++) {
      const step = this.#steps[i] as Step;
      if (step.condition !== undefined && !step.condition(document)) continue;
      const result = callStage(step, document);
      if (!isGiven(result)) continue;
      if (isPromise(result)) {
        step.waits = true;
        throw new Leaving(i + 1, result);
      }
      this.#throughChildren(step, result, document, position, i + 1, passage);
    }
    this.#leave(document, position, isChild, passage);
  }

  #throughChildren(
    step: Step,
    children: Children,
    parent: Document,
    position: number,
    from: number,
    passage: Passage,
  ): void {
    step.emits = true;
    if (this.#sink.needsFamilies) throw BROKEN;
    let iterator: Iterator<Document> | undefined;
    try {
      iterator = iterateChildren(children);
      for (let made = 0; ; made++) {
        if (made === MAX_CHILDREN) {
          const rest = iterator;
          iterator = undefined;
          throw new Leaving(from, { [Symbol.iterator]: () => rest });
        }
        const { done, value } = iterator.next();
        if (done === true) return;
        step.statistics.children++;
        adopt(value, parent);
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
  #leave(document: Document, position: number, isChild: boolean, { to, builder }: Passage): void {
    const sink = this.#sink;
    if (document.dropped) sink.dropped(isChild ? 0 : 1, isChild ? 1 : 0);
    else if (builder === undefined) {
      sink.position = position;
      sink.emit(document, isChild);
      if (!isChild) sink.finished(document);
    } else if (!builder.add(document, position, isChild)) {
      this.#gain.note(builder.count);
      this.#flush(builder, to);
      builder.add(document, position, isChild);
    }
  }

  /** Sends the documents of a builder through the remaining stages. */
  #flush(builder: GroupBuilder, from: number): void {
    if (builder.count > 0) this.#runGroup(builder.take(), from);
  }
}

/** Receives a document with its position, or that of the input document of a child. */
type Visit = (document: Document, position: number, isChild: boolean) => void;

function isSlow({ statistics: { timed, timedMillis } }: Step): boolean {
  return timedMillis > SLOW_MILLIS * timed;
}
