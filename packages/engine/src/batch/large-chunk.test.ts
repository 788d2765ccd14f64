import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../component/logger.ts';
import { Deadline } from '../execution/deadline.ts';
import { Pipeline } from '../execution/pipeline.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import { silentNotices } from '../notices/notice.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { stageContext } from '../testing/stage-harness.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { BatchProcessor } from './batch-processor.ts';
import { sent, skippingDecoder } from './large-chunk.test.lib.ts';
import type { OutcomePart } from './pipeline-messages.ts';

const ROWS = 50;
const TABLES = 40;

async function process(asTables: boolean): Promise<OutcomePart[]> {
  const { log, ...context } = stageContext();
  const config = { name: 'p', threads: 1, stages: [] };
  const pipeline = await Pipeline.start(config as never, {} as never, { ...context, log: () => log } as never);
  const parts: OutcomePart[] = [];
  const processor = new BatchProcessor({
    pipeline,
    runId: 'run',
    encoder: { encode: (document) => `${document.toJson()}\n` },
    lengths: false,
    deadline: new Deadline(60_000),
    flow: new FlowControl(),
    failureBudget: new FailureBudget(),
    log: silentLogger,
    notices: new NoticeCollector(),
    recordNotices: silentNotices,
    post: (part) => parts.push(part),
    broken: (_, failure) => {
      throw new Error(failure.message);
    },
  });
  const options = { tables: TABLES, rows: ROWS, size: 10_000, asTables };
  const chunk = () => ({ bytes: new Uint8Array(8), decoder: skippingDecoder(options), position: {} });
  await processor.process(0, { kind: 'records', chunks: [chunk(), chunk()] });
  await pipeline.stop();
  return parts;
}

describe('a chunk with a large output', () => {
  beforeEach(() => {
    sent.documents = sent.calls = 0;
  });

  it.each([true, false])(
    'is processed in parts, without decoding known documents again (tables: %j)',
    async (tables) => {
      const parts = await process(tables);
      const ids = parts.flatMap(({ ids: list }) => JSON.parse(list) as string[]);
      const numbers = Array.from({ length: ROWS * TABLES }, (_, i) => `${i}`);
      expect(ids).toEqual([...numbers, ...numbers]);
      expect(parts.length).toBeGreaterThan(20);
      // Each pass sends the table in which the pass before it ended again.
      expect(sent.documents).toBeLessThanOrEqual(ids.length + ROWS * parts.length);
    },
  );
});
