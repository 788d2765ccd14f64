import { describe, expect, it } from 'vitest';
import type { DocumentEncoder } from '../component/indexer.ts';
import { Document } from '../document/document.ts';
import { DocumentTable } from '../document/document-table.ts';
import { StageError } from '../execution/stage-error.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { PartBuilder } from './part-builder.ts';

/** Encodes a document as its id and a line break. The id `bad` cannot be encoded. */
const encode = (id: string) => {
  if (id === 'bad') throw new Error('the id is bad');
  return `${id}\n`;
};
const single: DocumentEncoder = { encode: ({ id }) => encode(id) };
const withTables: DocumentEncoder = { ...single, encodeTable: (table) => [table.ids.map(encode).join('')] };

function builderOf(encoder: DocumentEncoder | undefined = single, { lengths = true, maxFailures = 10 } = {}) {
  const builder = new PartBuilder(encoder, lengths, async () => true, maxFailures, new NoticeCollector());
  builder.startBatch(false);
  return builder;
}

/** Lets documents with these ids leave the pipeline. */
function emit(builder: PartBuilder, ...ids: string[]): void {
  for (const id of ids) {
    const document = Document.create(id);
    builder.emit(document, false);
    builder.finished(document);
  }
}

const tableOf = (...ids: string[]) => new DocumentTable(['id'], [ids], ids.length);

/** Returns the next part, with its bytes and ids as values. */
function take(builder: PartBuilder) {
  const { bytes, ids, lengths, ...part } = builder.take(3, true);
  return { ...part, text: Buffer.from(bytes).toString(), ids: JSON.parse(ids), lengths: lengths && [...lengths] };
}

describe('PartBuilder', () => {
  it('encodes documents, with their ids and lengths, and starts again after each part', () => {
    const builder = builderOf();
    emit(builder, 'a', 'ü');
    expect(take(builder)).toEqual({
      sequence: 3,
      last: true,
      published: 2,
      created: 0,
      dropped: 0,
      failed: 0,
      failures: [],
      count: 2,
      text: 'a\nü\n',
      ids: ['a', 'ü'],
      lengths: [2, 3],
    });
    expect(take(builder)).toMatchObject({ published: 0, count: 0, text: '', ids: [], lengths: [] });
  });

  it('counts children, dropped documents and unreadable records', () => {
    const builder = builderOf();
    builder.emit(Document.create('child'), true);
    const dropped = Document.create('dropped');
    dropped.drop();
    builder.emit(dropped, false);
    builder.finished(dropped);
    builder.dropped(2, 0);
    builder.rejected('words:1', { code: 'HR_RECORD_UNREADABLE', message: 'unreadable' }, 2);
    expect(builder.failedDocuments).toEqual([]);
    expect(take(builder)).toMatchObject({ published: 5, created: 1, dropped: 3, failed: 2, count: 1, text: 'child\n' });
  });

  it('counts a document as failed if it cannot be encoded, or if a stage has failed', () => {
    const builder = builderOf();
    builder.position = 7;
    emit(builder, 'bad', 'good');
    builder.position = 8;
    builder.failedDocument(Document.create('broken'), new StageError('stage_1', new Error('no')));
    expect(builder.failedDocuments.map(({ id, at, position }) => [id, at, position])).toEqual([
      ['bad', 'indexer', 7],
      ['broken', 'stage_1', 8],
    ]);
    expect(take(builder)).toMatchObject({ published: 3, failed: 2, count: 1, text: 'good\n' });
  });

  it('lists at most the maximum number of failures, and counts all', () => {
    const builder = builderOf(single, { maxFailures: 2 });
    emit(builder, 'bad', 'bad', 'bad');
    const { failed, failures } = take(builder);
    expect([failed, failures.length]).toEqual([3, 2]);
  });

  it('encodes a table as a whole, or one document at a time if that fails', () => {
    const builder = builderOf(withTables, { lengths: false });
    builder.table(tableOf('a', 'b'));
    builder.table(tableOf('c', 'bad', 'd'));
    expect(builder.failedDocuments.map(({ id, position }) => [id, position])).toEqual([['bad', 1]]);
    expect(take(builder)).toMatchObject({
      published: 5,
      failed: 1,
      count: 4,
      text: 'a\nb\nc\nd\n',
      ids: ['a', 'b', 'c', 'd'],
      lengths: undefined,
    });
  });

  it('counts documents without encoding them if nothing is sent', () => {
    const builder = new PartBuilder(undefined, false, async () => true, 10, new NoticeCollector());
    builder.startBatch(false);
    emit(builder, 'a');
    builder.table(tableOf('b', 'c'));
    expect(take(builder)).toMatchObject({ published: 3, count: 3, text: '', ids: ['a', 'b', 'c'] });
  });

  it('restores the state before interrupted work', () => {
    const builder = builderOf();
    builder.startBatch(true);
    emit(builder, 'a');
    const undo = builder.mark();
    emit(builder, 'b', 'bad');
    builder.emit(Document.create('child'), true);
    undo();
    emit(builder, 'c');
    expect(take(builder)).toMatchObject({
      published: 2,
      created: 0,
      failed: 0,
      failures: [],
      text: 'a\nc\n',
      ids: ['a', 'c'],
      lengths: [2, 2],
      lists: { created: [], dropped: [], sent: ['a', 'c'] },
    });
  });

  it('is due at 1.5 MiB of output if the encoder packs it', () => {
    const builder = builderOf({ encode: () => 'x'.repeat(768 * 1024), pack: (bytes) => Uint8Array.from(bytes) });
    emit(builder, 'a');
    expect(builder.due).toBe(false);
    emit(builder, 'b');
    expect(builder.due).toBe(true);
  });

  it('is due at 1 MiB of output and full at 4 MiB', () => {
    const builder = builderOf({ encode: () => 'x'.repeat(1024 * 1024) });
    const states = Array.from({ length: 4 }, (_, i) => {
      emit(builder, String(i));
      return [builder.due, builder.full];
    });
    expect(states).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  it('takes the notices of the thread with a part, and an undo forgets the later ones', () => {
    const notices = new NoticeCollector();
    const builder = new PartBuilder(single, true, async () => true, 10, notices);
    notices.of({ component: 'stage_1' }).report('bytes.invalid');
    const undo = builder.mark();
    notices.of({ component: 'stage_1' }).report('bytes.invalid');
    undo();
    expect(builder.take(0, false).notices).toMatchObject([{ component: 'stage_1', count: 1 }]);
    expect(builder.take(0, true)).not.toHaveProperty('notices');
  });

  it('counts the notices of an encoder once if a table cannot be encoded', () => {
    const notices = new NoticeCollector();
    const encoding = notices.of({ component: 'Indexer' });
    const noticed = (id: string) => {
      encoding.report('bytes.invalid', { document: id });
      return encode(id);
    };
    const encoder: DocumentEncoder = {
      encode: ({ id }) => noticed(id),
      encodeTable: (table) => table.ids.map((id) => noticed(id as string)),
    };
    const builder = new PartBuilder(encoder, true, async () => true, 10, notices);
    builder.startBatch(false);
    builder.table(tableOf('a', 'bad', 'c'));
    expect(builder.take(0, true).notices).toMatchObject([{ count: 3 }]);
  });
});
