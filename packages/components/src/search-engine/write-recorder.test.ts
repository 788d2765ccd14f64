import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchBytes, type Journal, type WriterPass } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../http/http-client.ts';
import { ChangeJournal } from '../reindexing/change-journal.ts';
import { RECORDED_FILTER, WriteRecorder } from './write-recorder.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-recorder-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NO_SIGNAL = new AbortController().signal;

/** Sends a request with the documents `a` and `b`, and returns the calls of the pass. */
async function send(journal: Journal, status: number, items: readonly object[] = []) {
  const calls: unknown[] = [];
  const pass: WriterPass = {
    enter: async () => [journal],
    leave: (changes, unknown) => calls.push(['leave', changes, unknown]),
    broken: (_, reason) => calls.push(['broken', reason]),
    close: () => calls.push('close'),
  };
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (text: string) => void warnings.push(text) };
  const lines = ['a', 'b'].map((id) => `{"index":{"_id":"${id}","_index":"products"}}\n{"id":"${id}"}\n`);
  const bytes = new BatchBytes({
    count: 2,
    pieces: lines.map((line) => Buffer.from(line)),
    lengths: () => Uint32Array.from(lines, ({ length }) => length),
  });
  const recorder = new WriteRecorder(pass, log);
  const response = { status, headers: {}, body: Buffer.from(JSON.stringify({ items })) } as unknown as HttpResponse;
  const reply = await recorder.request(bytes, [0, 1], NO_SIGNAL, async (filter) => {
    expect(filter).toBe(RECORDED_FILTER);
    return { reply: 'reply', response: status === 0 ? undefined : response };
  });
  expect(reply).toBe('reply');
  recorder.close();
  return { calls, warnings };
}

describe('the recorder of changes', () => {
  const path = join(folder, 'changes.journal');
  const live = { path, live: ['products-1'] };
  const taken = { index: { _index: 'products-1', _seq_no: 4, status: 200, result: 'updated' } };

  it('records what a live index has acknowledged, and nothing else', async () => {
    const journal = ChangeJournal.create(path);
    const elsewhere = { index: { ...taken.index, _index: 'other' } };
    expect((await send(live, 200, [taken, elsewhere])).calls).toEqual([['leave', 2, 0], 'close']);
    expect([journal.open, journal.writes]).toEqual([1, 1]);
    const refused = { index: { _index: 'products-1', status: 400, error: { type: 'mapper' } } };
    expect((await send(live, 200, [refused, taken])).calls).toEqual([['leave', 2, 1], 'close']);
    expect((await send(live, 429)).calls).toEqual([['leave', 2, 0], 'close']);
    expect(journal.open).toBe(2);
    journal.close();
  });

  it.each([
    ['no answer', 0],
    ['an error of the server', 503],
    ['an answer of a proxy', 200],
  ])('counts the documents of a request as unknown after %s', async (_, status) => {
    expect((await send(live, status)).calls).toEqual([['leave', 2, 2], 'close']);
  });

  it('reports a change that it cannot record, and the request still counts', async () => {
    const { calls, warnings } = await send({ ...live, path: join(folder, 'none') }, 200, [taken, taken]);
    expect(calls).toEqual([['broken', 'the rebuild has removed it'], ['leave', 2, 0], 'close']);
    expect(warnings).toEqual([expect.stringContaining('which will fail')]);
  });
});
