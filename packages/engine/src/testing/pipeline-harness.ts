import { BatchProcessor, type BatchProcessorOptions } from '../batch/batch-processor.ts';
import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { Registry } from '../component/registry.ts';
import type { Stage } from '../component/stage.ts';
import type { ConditionConfig } from '../conditions/conditions.ts';
import type { Counts, STAGE_COUNTERS } from '../counters/counters.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { Deadline } from '../execution/deadline.ts';
import { Pipeline } from '../execution/pipeline.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import type { Notice } from '../notices/notice.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { encodeDocuments } from '../transport/document-wire.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { stageContext } from './stage-harness.ts';

/** A stage and its conditions. */
export interface ConditionalStage {
  readonly stage: Stage;
  readonly conditions?: readonly ConditionConfig[];
  /** Whether all conditions must hold, or one. */
  readonly conditionPolicy?: 'all' | 'any';
}

/** The result of a test run of a pipeline. */
export interface PipelineOutcome {
  /** The documents for the indexer, as JSON, in order. */
  readonly documents: readonly string[];
  readonly ids: readonly string[];
  readonly counts: Readonly<Record<'published' | 'created' | 'dropped' | 'failed' | 'count', number>>;
  readonly failures: readonly { readonly id: string; readonly at: string; readonly position: number }[];
  readonly notices: readonly Notice[];
  readonly stages: readonly Pick<Counts<typeof STAGE_COUNTERS>, 'processed' | 'skipped' | 'failed' | 'children'>[];
}

/**
 * Sends batches of documents through stages, as a pipeline thread does.
 * @param together true: process documents together, as tables if the stages support them; false: one at a time
 */
export async function runPipeline(
  stages: readonly ConditionalStage[],
  batches: readonly (readonly Document[])[],
  together: boolean,
): Promise<PipelineOutcome> {
  const classes = stages.map(({ stage }) => stageClassOf(stage));
  const registry = { load: async ({ name }: { name: string }) => classes[Number(name)] } as unknown as Registry;
  const config = {
    name: 'p',
    threads: 1,
    stages: stages.map(({ conditions = [], conditionPolicy }, i) => ({
      entry: { name: String(i) } as never,
      params: {} as never,
      name: `stage_${i + 1}`,
      conditions,
      conditionPolicy,
    })),
  };
  const { log, collector: notices, ...context } = stageContext();
  const pipeline = await Pipeline.start(config as never, registry, { ...context, notices, log: () => log } as never);
  const parts: OutcomePart[] = [];
  const options: BatchProcessorOptions = {
    pipeline,
    runId: 'run',
    encoder: { encode: lineOf, encodeTable },
    lengths: true,
    deadline: new Deadline(60_000),
    flow: new FlowControl(),
    failureBudget: new FailureBudget(),
    log,
    notices,
    recordNotices: notices.of({ component: 'connector' }),
    post: (part) => parts.push(part),
    broken: (_, failure) => {
      throw new Error(failure.message);
    },
  };
  let processor = new BatchProcessor(options);
  for (const [sequence, documents] of batches.entries()) {
    const bytes = encodeDocuments(documents);
    // A new processor sends its first documents through the stages one at a time.
    if (!together) processor = new BatchProcessor(options);
    await processor.process(sequence, { kind: 'documents', bytes, count: documents.length });
  }
  await pipeline.stop();
  const noticed = new NoticeCollector();
  for (const part of parts) noticed.add(part.notices ?? []);
  const total = (key: keyof PipelineOutcome['counts']) => parts.reduce((sum, part) => sum + part[key], 0);
  return {
    documents: parts.flatMap(({ bytes }) => Buffer.from(bytes).toString().split('\n').slice(0, -1)),
    ids: parts.flatMap(({ ids }) => JSON.parse(ids) as string[]),
    counts: {
      published: total('published'),
      created: total('created'),
      dropped: total('dropped'),
      failed: total('failed'),
      count: total('count'),
    },
    failures: parts.flatMap(({ sequence, failures }) =>
      failures
        .map(({ id, at, position }) => ({ sequence, id, at, position }))
        .sort((first, second) => first.position - second.position),
    ),
    notices: noticed.list(),
    stages: pipeline.statistics.map(({ processed, skipped, failed, children }) => ({
      processed,
      skipped,
      failed,
      children,
    })),
  };
}

function lineOf(document: Document): string {
  return `${document.toJson()}\n`;
}

function encodeTable(table: DocumentTable): string[] {
  return Array.from({ length: table.count }, (_, row) => lineOf(table.document(row)));
}

/** Returns a class whose constructor returns this stage. */
function stageClassOf(stage: Stage): unknown {
  return class {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: the stage exists already
      return stage;
    }
  };
}
