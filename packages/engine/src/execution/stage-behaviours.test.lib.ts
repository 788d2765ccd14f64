import type { CatalogEntry } from '../component/catalog.ts';
import type { Registry } from '../component/registry.ts';
import { Type } from '../component/schema.ts';
import { Stage, type StageClass, type StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { Pipeline } from './pipeline.ts';
import type { StageConfig } from './pipeline-config.ts';

export type Process = (document: Document) => StageResult | Promise<StageResult>;

export interface StageSpec {
  readonly process?: Process;
  readonly maxInFlight?: number;
  readonly start?: () => void | Promise<void>;
  readonly stop?: () => void | Promise<void>;
  readonly config?: Partial<StageConfig>;
}

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Starts a pipeline of stages with the given behaviour. The stages are called stage_1, stage_2, … */
export function pipelineOf(...specs: (StageSpec | Process)[]): Promise<Pipeline> {
  const classes = specs.map((given): StageClass => {
    const spec = typeof given === 'function' ? { process: given } : given;
    return class extends Stage {
      static override readonly parameters = Type.Object({});
      override readonly maxInFlight = spec.maxInFlight ?? 1;
      override process(document: Document): StageResult | Promise<StageResult> {
        return spec.process?.(document);
      }
      override start(): void | Promise<void> {
        return spec.start?.();
      }
      override stop(): void | Promise<void> {
        return spec.stop?.();
      }
    };
  });
  const stages = specs.map(
    (given, i): StageConfig => ({
      entry: { kind: 'stage', name: String(i) } as CatalogEntry,
      params: {},
      path: '',
      name: `stage_${i + 1}`,
      conditions: [],
      conditionPolicy: 'all',
      ...(typeof given === 'function' ? {} : given.config),
    }),
  );
  const registry = { load: async (entry: CatalogEntry) => classes[Number(entry.name)] } as unknown as Registry;
  const context = {
    runId: 'r',
    threadName: 'Worker-1',
    threadNumber: 1,
    trusted: true,
    log: () => silent,
    notices: new NoticeCollector(),
  };
  return Pipeline.start({ name: 'p', threads: undefined, stages }, registry, context);
}

/** Sends documents with these ids through the pipeline. Returns the events, in order. */
export async function send(pipeline: Pipeline, ids: readonly string[], stopped: () => boolean = () => false) {
  const events: string[] = [];
  const documents = ids.map((id) => {
    const document = Document.create(id);
    document.setRunId('r');
    return document;
  });
  const taken = await pipeline.process(
    documents,
    {
      emit: (document, isChild) => events.push(`${isChild ? 'child' : 'out'} ${document.id}${trailOf(document)}`),
      finished: (document) => events.push(`finished ${document.id}`),
      failedDocument: (document, error) => events.push(`failed ${document.id} at ${error.stage}: ${error.message}`),
    },
    stopped,
  );
  return { events, taken, documents };
}

export const trailOf = (document: Document) => (document.has('trail') ? ` ${document.texts('trail').join('')}` : '');
export const mark =
  (letter: string): Process =>
  (document) =>
    document.add('trail', letter);
export const later =
  (process: Process, order?: (id: string) => number): Process =>
  async (document) => {
    for (let i = order?.(document.id) ?? 1; i > 0; i--) await Promise.resolve();
    return process(document);
  };

export const children =
  (...suffixes: string[]): Process =>
  (document) =>
    document.id.includes('.') ? undefined : suffixes.map((suffix) => Document.create(`${document.id}.${suffix}`));

/**
 * Three forms of the same stage: synchronous, with promises, and with several documents in flight. All must have the
 * same results.
 */
export const ways: [string, (process: Process) => StageSpec][] = [
  ['synchronous stages', (process) => ({ process })],
  ['stages that wait', (process) => ({ process: later(process) })],
  [
    'stages with documents in flight',
    (process) => ({ process: later(process, (id) => 10 - id.length), maxInFlight: 3 }),
  ],
];
