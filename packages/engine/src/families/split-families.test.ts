import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartBuilder } from '../batch/part-builder.ts';
import type { DocumentEncoder, EncodedBatch } from '../component/indexer.ts';
import { Document } from '../document/document.ts';
import { StageError } from '../execution/stage-error.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { FamilyLines } from './family-lines.ts';
import { splitFamilies } from './split-families.ts';

const SETTINGS = {
  childrenField: 'parent_id',
  idOverrideField: 'other',
  deletionMarkerField: 'gone',
  deletionMarkerFieldValue: 'yes',
};

/** Encodes a document as a line with its index id and its parent. The id `bad` cannot be encoded. */
const encoder: DocumentEncoder = {
  encode(document) {
    if (document.id === 'bad') throw new Error('the id is bad');
    return `{"id":"${document.text('other') ?? document.id}","of":"${document.text('parent_id') ?? ''}"}\n`;
  },
};

/** A version of a document, with the numbers of its children. */
interface Version {
  readonly id: string;
  readonly children: readonly number[];
  readonly kind?: 'sent' | 'dropped' | 'failed' | 'deleted';
}

function childOf(id: string, number: number): Document {
  const child = Document.create(`${id}-${number}`);
  child.set('parent_id', id);
  return child;
}

function builder(): PartBuilder {
  const part = new PartBuilder(encoder, true, async () => true, 10, new NoticeCollector(), new FamilyLines(SETTINGS));
  part.startBatch(false);
  return part;
}

function leave(part: PartBuilder, { id, children, kind = 'sent' }: Version): void {
  const document = Document.create(id);
  if (kind === 'deleted') document.set('gone', 'yes');
  for (const number of children) part.emit(childOf(id, number), true);
  if (kind === 'failed') {
    part.failedDocument(document, new StageError('s', new Error('no')));
    return;
  }
  if (kind === 'dropped') document.drop();
  part.emit(document, false);
  part.finished(document);
}

/** Cuts the documents of parts into batches of a size. */
function batchesOf(parts: readonly ReturnType<PartBuilder['take']>[], size: number): EncodedBatch[] {
  const documents = parts.flatMap(({ bytes, lengths, ids }) => {
    let start = 0;
    const names = JSON.parse(ids) as string[];
    return [...(lengths as Uint32Array)].map((length, i) => {
      const piece = bytes.slice(start, start + length);
      start += length;
      return { piece, id: names[i] as string };
    });
  });
  const batches: EncodedBatch[] = [];
  for (let from = 0; from < documents.length; from += size) {
    const some = documents.slice(from, from + size);
    batches.push({
      count: some.length,
      pieces: some.map(({ piece }) => piece),
      lengths: () => Uint32Array.from(some, ({ piece }) => piece.length),
      ids: () => some.map(({ id }) => id),
      pipeline: 'p',
      origins: () => [],
    });
  }
  return batches;
}

/** Returns the documents of a batch as values, and its families. */
function split(batch: EncodedBatch) {
  const { batch: documents, families, parents } = splitFamilies(batch);
  const text = Buffer.concat(documents.pieces).toString();
  const lines = text.split('\n').slice(0, -1);
  expect(documents.lengths()).toEqual(Uint32Array.from(lines, (line) => Buffer.byteLength(line) + 1));
  return { documents: lines.map((line) => JSON.parse(line) as { id: string; of: string }), families, parents };
}

function familiesOf(part: PartBuilder) {
  const [batch] = batchesOf([part.take(0, true)], 1000);
  if (batch === undefined) return [];
  return [...split(batch).families].map(([position, { parent, children }]) => ({ position, parent, children }));
}

describe('splitFamilies', () => {
  it('finds the children of each document, at the last document that was sent', () => {
    const part = builder();
    leave(part, { id: 'a', children: [1, 2] });
    leave(part, { id: 'b', children: [1], kind: 'dropped' });
    leave(part, { id: 'c', children: [] });
    expect(familiesOf(part)).toEqual([
      { position: 2, parent: 'a', children: ['a-1', 'a-2'] },
      { position: 3, parent: 'b', children: ['b-1'] },
      { position: 4, parent: 'c', children: [] },
    ]);
  });

  it('finds no children of a document that is deleted', () => {
    const part = builder();
    leave(part, { id: 'a', children: [1], kind: 'deleted' });
    expect(familiesOf(part)).toEqual([{ position: 1, parent: 'a', children: [] }]);
  });

  it('finds no family that failed or was dropped as a whole, and none of the children that it forgot', () => {
    const part = builder();
    leave(part, { id: 'a', children: [1, 2], kind: 'failed' });
    leave(part, { id: 'b', children: [], kind: 'dropped' });
    leave(part, { id: 'c', children: [3] });
    expect(familiesOf(part)).toEqual([{ position: 3, parent: 'c', children: ['c-3'] }]);
  });

  it('keeps the id of a child that cannot be encoded, and omits a dropped child', () => {
    const part = builder();
    const bad = Document.create('bad');
    const dropped = childOf('a', 2);
    dropped.drop();
    for (const child of [childOf('a', 1), bad, dropped]) part.emit(child, true);
    const parent = Document.create('a');
    part.emit(parent, false);
    part.finished(parent);
    expect(familiesOf(part)).toEqual([{ position: 1, parent: 'a', children: ['a-1', 'bad'] }]);
  });

  it('uses the ids of the index, and finds no family if one of them is empty', () => {
    const part = builder();
    for (const [id, other] of [
      ['a', 'A1'],
      ['b', ''],
    ] as const) {
      const child = childOf(id, 1);
      child.set('other', other);
      part.emit(child, true);
      leave(part, { id, children: [] });
    }
    expect(familiesOf(part)).toEqual([{ position: 1, parent: 'a', children: ['A1'] }]);
  });

  it('restores a family that a part has marked', () => {
    const part = builder();
    part.emit(childOf('a', 1), true);
    const undo = part.mark();
    part.emit(childOf('a', 2), true);
    undo();
    leave(part, { id: 'a', children: [3] });
    expect(familiesOf(part)).toEqual([{ position: 2, parent: 'a', children: ['a-1', 'a-3'] }]);
  });

  it('lets a store keep exactly the children of the last complete versions, for any cuts of batches and parts', () => {
    const version = fc.record({
      id: fc.constantFrom('a', 'b', 'é#'),
      children: fc.uniqueArray(fc.nat(5), { maxLength: 5 }),
      kind: fc.constantFrom('sent', 'dropped', 'deleted') as fc.Arbitrary<Version['kind'] & string>,
    });
    fc.assert(
      fc.property(
        fc.array(version, { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(7),
        (versions, size, cut) => {
          const part = builder();
          const parts = [];
          for (const [i, one] of versions.entries()) {
            leave(part, one);
            if (i === cut) parts.push(part.take(0, false));
          }
          parts.push(part.take(0, true));
          const store = new Map<string, string>();
          for (const batch of batchesOf(parts, size)) {
            const { documents, families } = split(batch);
            for (const { id, of } of documents) store.set(id, of);
            for (const { parent, children } of families.values()) {
              for (const [id, of] of store) if (of === parent && !children.includes(id)) store.delete(id);
            }
          }
          const expected = new Set<string>();
          for (const { id, children, kind } of versions) {
            if (kind === 'dropped' && children.length === 0) continue;
            for (const other of expected) if (other.startsWith(`${id}-`)) expected.delete(other);
            if (kind !== 'deleted') for (const number of children) expected.add(`${id}-${number}`);
          }
          const left = [...store].filter(([, of]) => of !== '').map(([id]) => id);
          expect(new Set(left)).toEqual(expected);
        },
      ),
    );
  });
});
