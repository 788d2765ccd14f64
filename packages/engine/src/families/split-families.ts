import type { EncodedBatch } from '../component/indexer.ts';
import { FAMILY_MARK } from './family-lines.ts';

/** A document whose children were all sent, and their ids in the destination. */
export interface Family {
  /** The id of the document, which its children have in `indexer.childrenField`. */
  readonly parent: string;
  readonly children: readonly string[];
  /** The size of the line that described the family, in bytes. */
  readonly bytes: number;
}

/** A batch without the lines of families. */
export interface SplitBatch {
  readonly batch: EncodedBatch;
  /**
   * The families that end in the batch, by the position of their last document. Without families of which the batch
   * contains a later version: the end of that version deletes the old children of both.
   */
  readonly families: Map<number, Family>;
  /** The parents of all families that end in the batch, in order. A parent with several versions is repeated. */
  readonly parents: readonly string[];
}

const LF = 10;
const MARK = FAMILY_MARK.charCodeAt(0);

/** Separates the documents of a batch from the lines of `FamilyLines`. Copies the documents. */
export function splitFamilies(batch: EncodedBatch): SplitBatch {
  const bytes = Buffer.concat(batch.pieces);
  const lengths = batch.lengths().slice();
  const documents: Buffer[] = [];
  const parents: string[] = [];
  const ends = new Map<string, { readonly position: number; readonly family: Family }>();
  let start = 0;
  for (let i = 0; i < batch.count; i++) {
    const next = start + (lengths[i] as number);
    const lines: string[] = [];
    let end = next;
    for (let line = startOfLastLine(bytes, start, end); bytes[line] === MARK; ) {
      lines.unshift(bytes.toString('utf8', line + 1, end));
      end = line;
      if (end === start) break;
      line = startOfLastLine(bytes, start, end);
    }
    for (const text of lines) {
      const { of, parent, children } = JSON.parse(text) as { of?: string; parent: string; children?: string[] };
      ends.delete(of ?? parent);
      if (of !== undefined) continue;
      parents.push(parent);
      if (children !== undefined) ends.set(parent, { position: i, family: { parent, children, bytes: text.length } });
    }
    documents.push(bytes.subarray(start, end));
    lengths[i] = end - start;
    start = next;
  }
  const pieces = [Buffer.concat(documents)];
  const families = new Map([...ends.values()].map(({ position, family }) => [position, family]));
  return { batch: { ...batch, pieces, lengths: () => lengths }, families, parents };
}

function startOfLastLine(bytes: Buffer, start: number, end: number): number {
  // The last byte is the end of the line.
  return end - 2 < start ? start : Math.max(start, bytes.lastIndexOf(LF, end - 2) + 1);
}
