import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContentHasher, HASH_BYTES } from './content-hash.ts';
import { DocumentHashes, type HashedDocuments } from './document-hashes.ts';
import { HashedBatch } from './hashed-batch.ts';
import { KnownHashes } from './known-hashes.ts';
import { UnchangedDocuments } from './unchanged-documents.ts';

/** The bytes of a page of a SQLite file. */
const PAGE = 4096;
const STATE = { uuids: 'u1', definition: 'd1', processing: 'p1', writes: 10 };

let folder: string;
let open: DocumentHashes[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-hashes-'));
  open = [];
});
afterEach(() => {
  for (const hashes of open) hashes.close();
  rmSync(folder, { recursive: true });
});

const file = () => join(folder, 'a.hashes');

function opened(marksSeen = false): DocumentHashes {
  const database = new DatabaseSync(file(), { timeout: 0 });
  try {
    const hashes = new DocumentHashes(database, file(), marksSeen);
    open.push(hashes);
    return hashes;
  } catch (error) {
    database.close();
    throw error;
  }
}

function closed(): void {
  open.pop()?.close();
}

/** Returns a batch of pairs of a key and a content; undefined deletes. */
function batchOf(contents: readonly (readonly [string, string | undefined])[]): HashedDocuments {
  const hashes = Buffer.alloc(contents.length * HASH_BYTES);
  // A hash covers the id of its document.
  contents.forEach(([key, text], i) => {
    if (text !== undefined) hashes.write(`${key} ${text}`, i * HASH_BYTES);
  });
  const deletions = contents.flatMap(([, text], i) => (text === undefined ? [i] : []));
  const key = (position: number) => contents[position]?.[0] ?? '';
  return { count: contents.length, hashes, deletions: new Set(deletions), key };
}

const documentsOf = (contents: Readonly<Record<string, string | undefined>>) => batchOf(Object.entries(contents));

/** Sends documents that all succeed, except those at some positions. Returns the positions that were sent. */
function send(hashes: DocumentHashes, contents: Record<string, string | undefined>, ...failed: number[]): number[] {
  const documents = documentsOf(contents);
  const sent = hashes.take(documents);
  hashes.acknowledge(documents, sent, new Set(failed));
  return sent.positions;
}

describe('the hashes of documents', () => {
  it('survive the end of a run, and are only those that the index has acknowledged', () => {
    const first = opened();
    expect(first.begin(STATE)).toBeUndefined();
    expect(send(first, { a: '1', b: '1', c: '1' }, 1)).toEqual([0, 1, 2]);
    // A killed run: the results of these documents are not known.
    first.take(documentsOf({ c: '2' }));
    closed();
    const second = opened();
    expect(second.begin({ ...STATE, writes: 13 })).toBeUndefined();
    expect(send(second, { a: '1', b: '1', c: '1' })).toEqual([1, 2]);
    expect(send(second, { a: undefined })).toEqual([0]);
    expect(send(second, { a: '1', b: '1', c: '1' })).toEqual([0]);
    second.end({ ...STATE, writes: 18 });
  });

  it('are forgotten if the index may have other contents', () => {
    const at = (writes: number, more: Partial<typeof STATE> = {}) => ({ ...STATE, ...more, writes });
    let content = 0;
    /** A run that sends one document. */
    const run = (now: typeof STATE, end?: typeof STATE, failed: number[] = [], notWritten = 0) => {
      const hashes = opened();
      const reason = hashes.begin(now);
      send(hashes, { a: `${content++}` }, ...failed);
      hashes.notWritten(notWritten);
      if (end !== undefined) hashes.end(end);
      closed();
      return reason;
    };
    const [foreign, created] = ['another program has written to it', 'the index was created again'];
    expect(run(at(10), at(11))).toBeUndefined();
    expect(run(at(11), at(12))).toBeUndefined();
    expect(run(at(13), at(14))).toBe(foreign);
    // Another program has written during the run. Documents that the index did not write do not hide it.
    expect(run(at(14), at(16))).toBeUndefined();
    expect(run(at(16), at(17), [0])).toBe(foreign);
    expect(run(at(17), at(18), [], 1)).toBe(foreign);
    expect(run(at(18), at(18))).toBe(foreign);
    // During the run, the search engine has lost a write, or somebody has created the index again.
    expect(run(at(18), at(19))).toBe('the search engine has lost writes');
    expect(run(at(19), at(1, { uuids: 'u2' }))).toBeUndefined();
    expect(run(at(1, { uuids: 'u2' }), at(2, { uuids: 'u2' }))).toBe(created);
    expect(run(at(10), at(11, { processing: 'p2' }))).toBe(created);
    expect(run(at(11, { processing: 'p2' }), at(12, { processing: 'p2' }))).toContain('mappings');
    expect(run(at(12), at(13))).toContain('mappings');
    expect(run(at(13, { definition: 'd2' }), at(14))).toContain('mappings');
  });

  it('are forgotten after a killed run if the index has other writes than those of the run', () => {
    /** A killed run, which has an answer for one document and none for another one. */
    const killed = (now: typeof STATE, content: string) => {
      const hashes = opened();
      const reason = hashes.begin(now);
      send(hashes, { a: content });
      hashes.take(documentsOf({ b: content }));
      closed();
      return reason;
    };
    expect(killed(STATE, '1')).toBeUndefined();
    expect(killed({ ...STATE, definition: 'd2', writes: 12 }, '2')).toBeUndefined();
    expect(killed({ ...STATE, writes: 13 }, '3')).toBeUndefined();
    expect(killed({ ...STATE, writes: 16 }, '4')).toBe('another program has written to it');
    expect(killed({ ...STATE, writes: 16 }, '5')).toBe('the search engine has lost writes');
    expect(killed({ ...STATE, writes: 17, processing: 'p2' }, '6')).toContain('pipelines');
    closed();
    const database = new DatabaseSync(file());
    database.exec("UPDATE state SET value = value - 3600000 WHERE name = 'started'");
    database.close();
    expect(killed({ ...STATE, writes: 18, processing: 'p2' }, '7')).toBe('the computer was restarted during a run');
  });

  it('are used by one run at a time', () => {
    opened();
    expect(() => opened()).toThrow(`Another run uses the hashes in ${file()}`);
    closed();
    opened();
  });

  it('report a file that is damaged in any place, or belongs to another program', () => {
    writeFileSync(file(), 'this is no database, but text'.repeat(100));
    expect(() => opened()).toThrow(`The hashes in ${file()} are damaged`);
    rmSync(file());
    const first = opened(true);
    first.begin(STATE);
    send(first, Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`document ${i}`, `${i}`])));
    first.end({ ...STATE, writes: 510 });
    closed();
    const whole = readFileSync(file());
    expect(whole.length / PAGE).toBeGreaterThan(5);
    for (let page = 0; page < whole.length / PAGE; page++) {
      // The first bytes of the file are its header.
      const from = page === 0 ? 100 : page * PAGE;
      writeFileSync(file(), Buffer.from(whole).fill(0xab, from, (page + 1) * PAGE));
      expect(() => {
        const hashes = opened();
        hashes.begin({ ...STATE, writes: 510 });
        for (const _ of hashes.load());
      }).toThrow(`The hashes in ${file()} are damaged`);
      closed();
    }
    rmSync(file());
    const other = new DatabaseSync(file());
    other.exec('CREATE TABLE documents (key TEXT PRIMARY KEY, title TEXT)');
    other.close();
    expect(() => opened()).toThrow(`The hashes in ${file()} cannot be used: no such column`);
  });

  it('report a full disk, and later send what was not stored', () => {
    const database = new DatabaseSync(file(), { timeout: 0 });
    const full = new DocumentHashes(database, file(), false);
    full.begin(STATE);
    database.exec('PRAGMA max_page_count = 1');
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`document ${i}`, `${i}`]));
    expect(() => send(full, many)).toThrow(`The hashes in ${file()} cannot be used: database or disk is full`);
    full.close();
    const next = opened();
    expect([next.begin(STATE), send(next, many).length]).toEqual([undefined, 500]);
  });

  it('are forgotten if another version of Headrace has computed them', () => {
    const first = opened();
    first.begin(STATE);
    send(first, { a: '1' });
    first.end({ ...STATE, writes: 11 });
    closed();
    const database = new DatabaseSync(file());
    // The first versions had neither a kind nor the table of documents that are being sent.
    database.exec("DELETE FROM state WHERE name = 'kind'; DROP TABLE sending");
    database.close();
    const second = opened();
    expect(second.begin({ ...STATE, writes: 11 })).toBe('another version of Headrace has computed the hashes');
    expect(send(second, { a: '1' })).toEqual([0]);
    second.end({ ...STATE, writes: 12 });
    closed();
    const third = opened();
    expect([third.begin({ ...STATE, writes: 12 }), send(third, { a: '1' })]).toEqual([undefined, []]);
  });

  it('find what the source no longer has, after one complete run that sent everything', () => {
    const begin = (writes = 10, source = 'north') => {
      const hashes = opened(true);
      return { hashes, reason: hashes.begin({ ...STATE, writes }, source) };
    };
    const first = begin().hashes;
    send(first, { a: '1', b: '1', c: '1' });
    first.end({ ...STATE, writes: 13 });
    closed();
    // No run has established that the index has only these documents.
    const { hashes: second, reason } = begin(13);
    expect([reason, second.isComplete]).toEqual([expect.stringContaining('complete run'), false]);
    expect(send(second, { a: '1', b: '1', c: '1' })).toEqual([0, 1, 2]);
    second.complete();
    second.end({ ...STATE, writes: 16 });
    closed();
    const third = begin(16).hashes;
    expect([third.isComplete, send(third, { a: '1', c: '2' })]).toEqual([true, [1]]);
    expect([third.count(), third.missing(10)]).toEqual([{ all: 3, missing: 1 }, ['b']]);
    third.forget(['b']);
    expect(third.count()).toEqual({ all: 2, missing: 0 });
    third.deleted(1);
    third.end({ ...STATE, writes: 18 });
    closed();
    // The documents of another source are not missing in this one.
    const other = begin(18, 'south');
    expect([other.reason, other.hashes.isComplete]).toEqual([expect.stringContaining('complete run'), false]);
  });

  it('never skip a document whose last acknowledged version differs, in any order of versions, failures and kills', () => {
    const version = fc.record({
      id: fc.constantFrom('a', 'b'),
      text: fc.constantFrom('1', '2', undefined),
      result: fc.constantFrom('ok', 'ok', 'failed', 'lost'),
    });
    const batch = fc.record({
      versions: fc.array(version, { maxLength: 4 }),
      /** How many earlier batches have an answer before this one is taken. */
      answered: fc.nat({ max: 3 }),
      before: fc.constantFrom('nothing', 'nothing', 'a kill', 'the next run'),
    });
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 10 }), (batches) => {
        const index = new Map<string, string | undefined>();
        let writes = 0;
        const database = new DatabaseSync(':memory:');
        const begin = () => {
          const hashes = new DocumentHashes(database, 'memory', false);
          hashes.begin({ ...STATE, writes });
          return hashes;
        };
        let hashes = begin();
        let killed: DocumentHashes | undefined;
        const waiting: (() => void)[] = [];
        const answer = (count: number) => {
          for (const next of waiting.splice(0, count)) next();
        };
        for (const { versions, answered, before } of batches) {
          answer(before === 'the next run' ? waiting.length : answered);
          // The requests of a killed run have reached the index, but their results are not stored.
          const isKilled = before === 'a kill';
          if (isKilled) killed = hashes;
          if (isKilled) answer(waiting.length);
          if (before === 'the next run') hashes.end({ ...STATE, writes });
          if (before !== 'nothing') hashes = begin();
          const documents = batchOf(versions.map(({ id, text }) => [id, text]));
          const sent = hashes.take(documents);
          const isSent = (i: number) => sent.positions.includes(i);
          const inFlight = waiting.length;
          versions.forEach(({ id, text }, i) => {
            if (!isSent(i) && inFlight === 0) expect(index.get(id)).toBe(text);
          });
          const taken = hashes;
          waiting.push(() => {
            versions.forEach(({ id, text, result }, i) => {
              if (!isSent(i)) expect(index.get(id)).toBe(text);
              // A lost answer: the index has the document, and the run counts it as failed.
              else if (result !== 'failed') {
                index.set(id, text);
                writes++;
              }
            });
            const failed = versions.flatMap(({ result }, i) => (isSent(i) && result !== 'ok' ? [i] : []));
            if (taken !== killed) taken.acknowledge(documents, sent, new Set(failed));
          });
        }
        database.close();
      }),
      { numRuns: process.env['CI'] === undefined ? 100 : 500 },
    );
  });

  it('may know only some documents in memory', () => {
    const known = new KnownHashes(2, true);
    const hashOf = (n: number) => new Uint32Array([5, n + 1, n, n]);
    known.add(new Uint32Array([0, 0, 1, 1]));
    for (let n = 0; n < 100; n++) known.add(hashOf(n));
    const found = Array.from({ length: 100 }, (_, n) => known.see(hashOf(n), 0) && known.see(hashOf(n), 0));
    expect([known.isFull, found.lastIndexOf(true) + 1, known.seen]).toEqual([true, 10, 10]);
    known.remove(hashOf(3), 0);
    expect([2, 3, 4, 99].map((n) => known.has(hashOf(n), 0))).toEqual([true, false, true, false]);
    expect([3, 4].map((n) => known.isSeen(hashOf(n), 0))).toEqual([false, true]);
    expect([known.seen, known.has(new Uint32Array([0, 0, 1, 1]), 0)]).toEqual([9, false]);
  });
});

it('a document is unchanged if only the id of the run differs, and another routing is a change', () => {
  const batchOf = (runId: string, lines: readonly [string, string?][]) => {
    const texts = lines.map(([action, source]) => {
      const text = source === undefined ? `${action}\n` : `${action}\n${source}\n`;
      return text.replace('ANY', runId);
    });
    const hasher = new ContentHasher();
    hasher.addRunId(runId);
    const lengths = Uint32Array.from(texts, (text) => Buffer.byteLength(text));
    return {
      count: texts.length,
      hashes: hasher.hash(Buffer.from(texts.join('')), lengths),
      firstLine: (i: number) => Buffer.from((lines[i] as [string])[0]).toString('latin1'),
    };
  };
  const action = (id: string, more = '') => `{"index":{"_id":${JSON.stringify(id)},"_index":"p"${more}}}`;
  const hashes = opened(true);
  hashes.begin(STATE);
  let unchanged = 0;
  const run = (runId: string) => {
    const documents = new UnchangedDocuments(hashes, (count) => {
      unchanged += count;
    });
    return (...lines: [string, string?][]) => {
      const { positions, acknowledge } = documents.take(batchOf(runId, lines));
      acknowledge([]);
      return positions;
    };
  };
  const odd = 'é","_index":"p"';
  const texts: [string, string][] = [
    [action('a'), `{"id":"a","run_id":"ANY","x":1}`],
    [action('b', ',"routing":"r"'), `{"run_id":"ANY"}`],
    [action(odd), '{}'],
  ];
  expect(run('r1')(...texts)).toEqual([0, 1, 2]);
  const second = run('r2');
  expect([second(...texts), unchanged]).toEqual([[], 3]);
  expect(second([action('a'), `{"id":"a","run_id":"ANY","x":2}`])).toEqual([0]);
  // In the same shard, the document with another routing replaces the first one.
  expect(second([action('b', ',"routing":"s"'), `{"run_id":"ANY"}`])).toEqual([0]);
  expect(second([action('b', ',"routing":"r"'), `{"run_id":"ANY"}`])).toEqual([0]);
  expect(second([action('b', ',"routing":"r"').replace('index', 'delete')])).toEqual([0]);
  expect(hashes.missing(9).length).toBe(0);
  expect(hashes.count().all).toBe(2);
});

it('a batch finds its documents in any pieces, and copies those that are sent', () => {
  const first = '{"a":1}\n{"é":{}}\n';
  const texts = [first, '{"b":2}\n', '{"c":3}\nx\n'];
  const bytes = Buffer.from(texts.join(''));
  const lengths = Uint32Array.from(texts, (text) => Buffer.byteLength(text));
  const whole = [bytes];
  const apart = [bytes.subarray(0, lengths[0]), Buffer.alloc(0), bytes.subarray(lengths[0])];
  const cut = [bytes.subarray(0, 12), bytes.subarray(12)];
  for (const pieces of [whole, apart, cut]) {
    const batch = new HashedBatch({ count: 3, pieces, lengths: () => lengths, ids: () => ['a', 'b', 'c'] });
    const sent = batch.documents([0, 2]);
    expect(Buffer.concat(sent.pieces).toString()).toBe(`${first}{"c":3}\nx\n`);
    expect([[...sent.lengths()], sent.ids(), sent.count]).toEqual([[Buffer.byteLength(first), 10], ['a', 'c'], 2]);
    expect([0, 1, 2].map((i) => batch.firstLine(i))).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  }
});
