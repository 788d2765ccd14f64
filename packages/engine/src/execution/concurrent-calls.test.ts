import { describe, expect, it } from 'vitest';
import { Type } from '../component/schema.ts';
import { Stage, type StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { stageContext } from '../testing/stage-harness.ts';
import { type CallOutcome, callConcurrently } from './concurrent-calls.ts';
import { type Guard, runGuarded } from './guard.ts';
import { StageCall } from './stage-call.ts';
import { newStatistics } from './stage-statistics.ts';

type Process = (document: Document) => StageResult | Promise<StageResult>;

/** Runs a stage on documents 0, 1, …. Returns for each one `ok`, the error code, or the children. */
async function outcomesOf(process: Process, count: number, maxInFlight: number, limitMillis = 60_000) {
  class Given extends Stage {
    static override readonly parameters = Type.Object({});
    override process(document: Document): StageResult | Promise<StageResult> {
      return process(document);
    }
  }
  const call = new StageCall(new Given({} as never, stageContext()), newStatistics('given'), new NoticeCollector());
  const documents = Array.from({ length: count }, (_, i) => Document.create(String(i)));
  let guarded = 0;
  const guard: Guard = (work) => {
    guarded++;
    return runGuarded(work, limitMillis);
  };
  const outcomes: CallOutcome[] = [];
  await callConcurrently(call, documents, maxInFlight, guard, async (_from, some) => void outcomes.push(...some));
  const results = outcomes.map(({ children, error }) => error?.code ?? (children === undefined ? 'ok' : [...children]));
  return { results, guarded, statistics: call.statistics };
}

const later = async () => {
  for (let i = 0; i < 3; i++) await undefined;
};

describe('callConcurrently', () => {
  it('starts up to the given number of calls at the same time', async () => {
    let inFlight = 0;
    let most = 0;
    const { results } = await outcomesOf(
      async () => {
        most = Math.max(most, ++inFlight);
        await later();
        inFlight--;
      },
      20,
      7,
    );
    expect(results).toEqual(Array(20).fill('ok'));
    expect(most).toBe(7);
  });

  it('returns the result of each call, in order, for stages with and without promises', async () => {
    const child = Document.create('child');
    const kinds: Process[] = [
      () => undefined,
      later,
      () => [child],
      () => later().then(() => [child]),
      () => {
        throw new Error('immediately');
      },
      () => later().then(() => Promise.reject(new Error('later'))),
    ];
    const { results, statistics } = await outcomesOf((document) => kinds[Number(document.id) % 6]?.(document), 12, 2);
    const six = ['ok', 'ok', [child], [child], 'HR_STAGE_FAILED', 'HR_STAGE_FAILED'];
    expect(results).toEqual([...six, ...six]);
    expect([statistics.processed, statistics.failed]).toEqual([12, 4]);
  });

  it('fails only the document on which the stage computes endlessly before it waits', async () => {
    const { results } = await outcomesOf(
      async ({ id }) => {
        if (id === '1' || id === '3') for (;;);
        await later();
      },
      6,
      4,
      200,
    );
    expect(results).toEqual(['ok', 'HR_STAGE_OVERDUE', 'ok', 'HR_STAGE_OVERDUE', 'ok', 'ok']);
  });

  it('starts many calls in one guarded call', async () => {
    // All promises resolve in one turn of the event loop, so their places become free together.
    const { guarded } = await outcomesOf(() => new Promise((resolve) => setImmediate(resolve)), 10_000, 1000);
    expect(guarded).toBeLessThan(100);
  });
});
