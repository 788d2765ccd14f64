import type { ModuleReference, RecordDecoder, RecordSink, RejectedRecord } from '../component/connector.ts';
import type { Logger } from '../component/logger.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { writeDocument } from '../document/json-writer.ts';
import type { Value } from '../document/value.ts';
import { messageOf } from '../errors/headrace-error.ts';
import { runGuarded } from '../execution/guard.ts';
import type { FailureBudget } from '../failures/failure-budget.ts';
import type { Content } from '../failures/kept-failure.ts';
import { decoding, instantiate } from './decoders.ts';
import type { InputBatch, PartFailure } from './pipeline-messages.ts';

/** Thrown to stop the decoder after the last wanted document. */
const ENOUGH = new Error('all documents have been found');

/** Creates a new decoder, because the state of the existing decoder belongs to the first decoding. */
const newDecoder = (reference: ModuleReference) => instantiate<RecordDecoder>(reference);

/** Returns the content of a document by its position in the batch. */
type Inputs = (position: number) => Content;

/**
 * Decodes documents of a batch again, because the stages before a failure have changed the failed document. Documents
 * that succeed are not stored, so only failures take time.
 * @param positions the positions of the wanted documents and unreadable records, from 0
 * @param limitMillis the time limit
 */
async function readInputs(
  batch: InputBatch,
  positions: ReadonlySet<number>,
  budget: FailureBudget,
  limitMillis: number,
): Promise<Inputs> {
  const finder = new InputFinder(positions, budget);
  let omitted = 'The document was not found when the source was read again';
  try {
    const decode = await decoding(batch, finder, newDecoder);
    if (!runGuarded(decode, limitMillis)) omitted = 'Reading the document again took too long';
  } catch (error) {
    if (error !== ENOUGH) omitted = `The document could not be read again: ${messageOf(error)}`;
  }
  return (position) => finder.found.get(position) ?? { omitted };
}

/**
 * Adds to failures the documents that the decoder of their batch returned. If that is impossible, the failures are
 * reported without documents.
 */
export async function addInputs(
  failures: readonly PartFailure[],
  batch: InputBatch,
  budget: FailureBudget,
  limitMillis: number,
  log: Logger,
): Promise<void> {
  if (failures.length === 0) return;
  const positions = new Set(failures.map(({ position }) => position));
  try {
    const content = await readInputs(batch, positions, budget, limitMillis);
    for (const failure of failures) failure.content = content(failure.position);
  } catch (error) {
    log.warn(`Failed documents cannot be stored: ${messageOf(error)}`);
  }
}

class InputFinder implements RecordSink {
  readonly found = new Map<number, Content>();
  readonly #positions: ReadonlySet<number>;
  readonly #first: number;
  readonly #budget: FailureBudget;
  #seen = 0;

  constructor(positions: ReadonlySet<number>, budget: FailureBudget) {
    this.#positions = positions;
    this.#first = Math.min(...positions);
    this.#budget = budget;
  }

  document(document: Document): void {
    const at = this.#seen++;
    if (this.#positions.has(at)) this.#keep(at, document);
  }

  table(table: DocumentTable): void {
    for (let row = 0; row < table.count; row++) {
      const at = this.#seen++;
      if (this.#positions.has(at)) this.#keep(at, table.document(row));
    }
  }

  reject({ count = 1 }: RejectedRecord): void {
    this.#seen += count;
  }

  /** The records before the first wanted one. */
  get known(): number {
    return Math.max(0, this.#first - this.#seen);
  }

  skip(records: number): void {
    this.#seen += records;
  }

  warn(): void {}

  /** The first reading has reported it. */
  notice(): void {}

  #keep(at: number, document: Document): void {
    this.found.set(at, contentOf(document, this.#budget));
    if (this.found.size === this.#positions.size) throw ENOUGH;
  }
}

function contentOf(document: Document, budget: FailureBudget): Content {
  const json = writeDocument(document);
  const omitted = budget.take(Buffer.byteLength(json));
  if (omitted !== undefined) return { omitted };
  const { fieldNames, fieldValues } = document;
  const binaryFields = fieldNames.filter((_, i) => holdsBytes(fieldValues[i] as Value));
  return { document: { kind: 'input', json, binaryFields } };
}

function holdsBytes(value: Value): boolean {
  if (value instanceof Uint8Array) return true;
  if (Array.isArray(value)) return value.some(holdsBytes);
  return value instanceof Map && [...value.values()].some(holdsBytes);
}
