import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../component/logger.ts';
import { Document } from '../document/document.ts';
import { StageError } from '../execution/stage-error.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { PartPoster } from './part-poster.ts';
import { PART_MILLIS } from './pass-time.ts';
import type { InputBatch, OutcomePart } from './pipeline-messages.ts';
import { wordDecoder } from './word-decoder.test.lib.ts';

const BATCH: InputBatch = {
  kind: 'records',
  chunks: [{ bytes: Buffer.from('a b'), decoder: { ...wordDecoder(), name: 'WordDecoder' }, position: 'words.txt' }],
};

/** Starts batch 7. Returns the parts that the poster posts. */
function start() {
  const parts: OutcomePart[] = [];
  const flow = new FlowControl();
  const failureBudget = new FailureBudget();
  const poster = new PartPoster({
    encoder: { encode: ({ id }) => `${id}\n` },
    lengths: false,
    inputMillis: 10_000,
    flow,
    failureBudget,
    log: silentLogger,
    notices: new NoticeCollector(),
    post: (part) => parts.push(part),
  });
  poster.startBatch(7, BATCH);
  const emit = (id: string) => {
    const document = Document.create(id);
    poster.part.emit(document, false);
    poster.part.finished(document);
  };
  const fail = () => {
    poster.part.position = 1;
    poster.part.failedDocument(Document.create('b'), new StageError('stage_1', new Error('failed')));
  };
  return { parts, flow, failureBudget, poster, emit, fail };
}

describe('PartPoster', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('posts a small part only when it is old enough, and the last part at the end of the batch', async () => {
    const { parts, poster, emit } = start();
    emit('a');
    await poster.postIfDue();
    expect(parts).toEqual([]);
    vi.advanceTimersByTime(PART_MILLIS);
    await poster.postIfDue();
    emit('b');
    await poster.postIfDue();
    await poster.finishBatch();
    expect(parts).toMatchObject([
      { sequence: 7, last: false, count: 1 },
      { sequence: 7, last: true, count: 1 },
    ]);
  });

  it('marks the last part as cut if the run stops', async () => {
    const { parts, flow, poster } = start();
    flow.stop();
    expect(await poster.part.relieve()).toBe(false);
    await poster.finishBatch();
    expect(parts.map(({ last, cut }) => ({ last, cut }))).toEqual([
      { last: false, cut: undefined },
      { last: true, cut: true },
    ]);
  });

  it('adds the source documents to failures, unless they are omitted or the budget is closed', async () => {
    const stored = start();
    const omitted = start();
    omitted.poster.omitInputs();
    const closed = start();
    closed.failureBudget.close();
    for (const { poster, fail } of [stored, omitted, closed]) {
      fail();
      await poster.finishBatch();
    }
    const contents = [stored, omitted, closed].map(({ parts }) => parts[0]?.failures[0]?.content);
    expect(contents).toEqual([
      { document: { kind: 'input', json: '{"id":"b","chunk":1}', binaryFields: [] } },
      undefined,
      undefined,
    ]);
  });
});
