import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../component/logger.ts';
import type { Stage, StageContext } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { Deadline } from '../execution/deadline.ts';
import { Pipeline } from '../execution/pipeline.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import type { Notice, Notices } from '../notices/notice.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { BatchProcessor } from './batch-processor.ts';
import type { OutcomePart } from './pipeline-messages.ts';
import { noticingDecoder, type TestRecord } from './record-notices.test.lib.ts';

/** Reports each document whose number is a multiple of 3. */
function reportThird(notices: Notices, id: string): void {
  if (Number(id) % 3 === 0) notices.report('bytes.invalid', { document: id });
}

const KINDS = ['tables', 'documents', 'refuses', 'fails', 'waits', 'children'] as const;
type Kind = (typeof KINDS)[number];

/** Returns a class of stages that report each third document. */
function stageClass(kind: Kind): new (params: unknown, context: StageContext) => Stage {
  class Noticing {
    readonly maxInFlight = kind === 'waits' ? 4 : 1;
    readonly context: StageContext;

    constructor(_params: unknown, context: StageContext) {
      this.context = context;
    }

    process(document: Document): unknown {
      reportThird(this.context.notices, document.id);
      if (kind === 'fails' && Number(document.id) % 5 === 0) throw new Error('a multiple of 5');
      if (kind === 'waits') return Promise.resolve();
      return kind === 'children' && Number(document.id) % 7 === 0 ? [] : undefined;
    }
  }
  if (kind === 'documents' || kind === 'waits' || kind === 'children') return Noticing as never;
  return class extends Noticing {
    processTable(table: DocumentTable): boolean {
      for (const [row, id] of table.ids.entries()) {
        reportThird(this.context.notices, id as string);
        if (kind === 'fails' && Number(id) % 5 === 0) throw new Error('a multiple of 5');
        if (kind === 'refuses' && row === 4) return false;
      }
      return true;
    }
  } as never;
}

/** Processes batches as a pipeline thread does. Returns the notices of all parts. */
async function noticesOf(
  kinds: readonly Kind[],
  batches: readonly (readonly TestRecord[])[],
  decoder: { tableRows: number; isQuick: boolean; size: number; atEnd: number },
): Promise<readonly Notice[]> {
  const notices = new NoticeCollector();
  const classes = kinds.map(stageClass);
  const registry = { load: async ({ name }: { name: string }) => classes[Number(name)] };
  const stages = kinds.map((_, i) => ({ entry: { name: `${i}` }, params: {}, name: `s${i}`, conditions: [] }));
  const pipeline = await Pipeline.start({ name: 'p', threads: 1, stages } as never, registry as never, {
    runId: 'run',
    threadName: 'Worker-1',
    threadNumber: 1,
    trusted: true,
    notices,
    log: () => silentLogger,
  });
  const parts: OutcomePart[] = [];
  const encoderNotices = notices.of({ component: 'Indexer' });
  const processor = new BatchProcessor({
    pipeline,
    runId: 'run',
    encoder: {
      encode: (document) => {
        reportThird(encoderNotices, document.id);
        return `${document.toJson()}\n`;
      },
    },
    lengths: false,
    deadline: new Deadline(60_000),
    flow: new FlowControl(),
    failureBudget: new FailureBudget(),
    log: silentLogger,
    notices,
    recordNotices: notices.of({ component: 'connector' }),
    post: (part) => parts.push(part),
    broken: (_, failure) => {
      throw new Error(failure.message);
    },
  });
  for (const [sequence, records] of batches.entries()) {
    const chunk = { bytes: new Uint8Array(8), decoder: noticingDecoder(decoder), position: records };
    await processor.process(sequence, { kind: 'records', chunks: [chunk] });
  }
  await pipeline.stop();
  const all = new NoticeCollector();
  for (const part of parts) all.add(part.notices ?? []);
  return all.list();
}

const records = fc.array(
  fc.record({
    kind: fc.constantFrom('document' as const, 'document' as const, 'rejected' as const),
    notices: fc.constantFrom(0, 0, 1, 2),
  }),
  { maxLength: 60 },
);

/** The first table of a thread ends a part, so that its last rows pass through the first stage again. */
const PAUSED_TABLE: [TestRecord[][], Kind[], { tableRows: number; isQuick: boolean; size: number; atEnd: number }] = [
  [Array.from({ length: 16 }, () => ({ kind: 'document', notices: 1 }))],
  ['tables', 'documents'],
  { tableRows: 16, isQuick: true, size: 200_000, atEnd: 0 },
];

describe('the notices of a pipeline thread', () => {
  it('are what decoders, stages and the encoder reported, for any split into batches, tables and parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(records, { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }),
        fc.record({
          tableRows: fc.constantFrom(0, 1, 8),
          isQuick: fc.boolean(),
          // Large documents fill several parts, and the decoder is called again for each of them.
          size: fc.constantFrom(1, 200_000),
          atEnd: fc.constantFrom(0, 3),
        }),
        async (batches, kinds, decoder) => {
          const counts = new Map<string, number>();
          for (const { component, count } of await noticesOf(kinds, batches, decoder)) counts.set(component, count);
          const sum = (list: readonly number[]) => list.reduce((total, n) => total + n, 0);
          const ids = batches.flatMap((batch) =>
            batch.flatMap(({ kind }, i) => (kind === 'document' && i % 3 === 0 ? [i] : [])),
          );
          const expected = new Map<string, number>();
          const expect_ = (component: string, count: number) => void (count > 0 && expected.set(component, count));
          expect_('connector', sum(batches.flatMap((batch) => [decoder.atEnd, ...batch.map((r) => r.notices)])));
          let left = ids;
          for (const [i, kind] of kinds.entries()) {
            expect_(`s${i}`, left.length);
            if (kind === 'fails') left = left.filter((id) => id % 5 !== 0);
          }
          expect_('Indexer', left.length);
          expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(expected));
        },
      ),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100), examples: [PAUSED_TABLE] },
    );
  });
});
