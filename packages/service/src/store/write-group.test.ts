import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { StoreError } from './store.ts';
import { WriteGroup } from './write-group.ts';

function open() {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE words (word TEXT UNIQUE)');
  const insert = db.prepare('INSERT INTO words VALUES (?)');
  const events: string[] = [];
  const group = new WriteGroup(db, {
    onBegin: () => events.push('begin'),
    onCommit: () => events.push('commit'),
    onFailure: (error) => events.push(error.message),
  });
  const words = () =>
    (db.prepare('SELECT word FROM words ORDER BY rowid').all() as { word: string }[]).map((row) => row.word);
  return { db, group, events, words, write: (word: string) => group.write(() => insert.run(word).changes) };
}

describe('writes in groups', () => {
  it('share one transaction if they are requested together', async () => {
    const { group, events, words, write } = open();
    expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual([1, 1, 1]);
    await write('d');
    const late = write('e');
    group.flush();
    expect(words()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await late;
    expect(events).toEqual(['begin', 'commit', 'begin', 'commit', 'begin', 'commit']);
  });

  it('fail alone if they violate a constraint', async () => {
    const { words, write } = open();
    const outcomes = await Promise.allSettled(['a', 'a', 'b'].map(write));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(words()).toEqual(['a', 'b']);
  });

  it('apply several statements completely or not at all', async () => {
    const { db, group, words, write } = open();
    const insert = db.prepare('INSERT INTO words VALUES (?)');
    const both = () => group.write(() => ['b', 'a'].map((word) => insert.run(word)));
    const outcomes = await Promise.allSettled([write('a'), both(), write('c')]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(words()).toEqual(['a', 'c']);
  });

  it('fail alone if their function throws, and are then undone completely', async () => {
    const { db, group, events, words, write } = open();
    const insert = db.prepare('INSERT INTO words VALUES (?)');
    const torn = group.write(() => {
      insert.run('torn');
      throw new TypeError('not a word');
    });
    const outcomes = await Promise.allSettled([write('a'), torn, write('b')]);
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: { name: 'TypeError' } }, { value: 1 }]);
    expect(words()).toEqual(['a', 'b']);
    expect(events).toEqual(['begin', 'commit']);
  });

  it('are rejected if the disk is full, and work again when there is space', async () => {
    const { db, events, words, write } = open();
    await write('kept');
    const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number };
    db.exec(`PRAGMA max_page_count = ${pages + 1}`);
    const outcomes = await Promise.allSettled([write('lost'), write('x'.repeat(100_000))]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(StoreError) });
    expect(words()).toEqual(['kept']);
    expect(events.at(-1)).toMatch(/^The store cannot be written: .*full/);
    db.exec('PRAGMA max_page_count = 100000');
    await write('after');
    expect(words().at(-1)).toBe('after');
    expect(events.at(-1)).toBe('commit');
  });

  it('reject with a StoreError if the transaction fails', async () => {
    const { db, events, write } = open();
    db.exec('PRAGMA query_only = on');
    await expect(write('a')).rejects.toBeInstanceOf(StoreError);
    expect(events).toEqual(['begin', expect.stringContaining('The store cannot be written')]);
    db.exec('PRAGMA query_only = off');
    expect(await write('a')).toBe(1);
  });

  it('reject without an unhandled error if the database is closed', async () => {
    const { db, write } = open();
    const late = write('a');
    db.close();
    await expect(late).rejects.toBeInstanceOf(StoreError);
  });
});
