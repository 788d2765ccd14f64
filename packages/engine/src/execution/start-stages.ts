import type { Logger } from '../component/logger.ts';
import type { Registry } from '../component/registry.ts';
import { compileConditions } from '../conditions/conditions.ts';
import { compileRowFilter } from '../conditions/row-filter.ts';
import { HeadraceError, hintOf, messageOf } from '../errors/headrace-error.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import type { Guard } from './guard.ts';
import type { PipelineConfig } from './pipeline-config.ts';
import { StageCall } from './stage-call.ts';
import { newStatistics } from './stage-statistics.ts';

/** The options for starting the stages of a pipeline. */
export interface PipelineContext {
  readonly runId: string;
  readonly threadName: string;
  readonly threadNumber: number;
  /** As in `StageContext`. If absent, there are no other threads. */
  readonly shared?: Map<string, unknown>;
  readonly trusted: boolean;
  /** The maximum computing time of a document, as in `StageContext`. */
  readonly computeMillis?: number;
  /** Called before a stage starts. */
  readonly onStart?: (stage: string) => void;
  /** True in a preview, as in `StageContext`. */
  readonly preview?: boolean;
  /** True if stages get tables, if they support them. Defaults to true. */
  readonly tables?: boolean;
  /** Returns the logger of a stage. */
  log(name: string): Logger;
  /** Counts the notices of the stages. */
  readonly notices: NoticeCollector;
  /** Runs the computations of a stage after a wait, with a time limit. If absent, there is no limit. */
  readonly guard?: Guard;
}

/**
 * Creates and starts the stages of a pipeline, in order. If a stage fails, stops the started stages and throws
 * `HR_STAGE_START` with the name of the stage.
 */
export async function startStages(
  config: PipelineConfig,
  registry: Registry,
  context: PipelineContext,
): Promise<StageCall[]> {
  const calls: StageCall[] = [];
  const shared = context.shared ?? new Map<string, unknown>();
  for (const { entry, params, name, conditions, conditionPolicy } of config.stages) {
    context.onStart?.(`${name} (${entry.name})`);
    try {
      const StageClass = await registry.load(entry, 'stage');
      const { runId, threadName, threadNumber, trusted, computeMillis, preview = false } = context;
      const statistics = newStatistics(name);
      const stage = new StageClass(params as never, {
        name,
        pipeline: config.name,
        runId,
        threadName,
        threadNumber,
        shared,
        trusted,
        ...(computeMillis === undefined ? {} : { computeMillis }),
        preview,
        onCacheLookup: (isHit) => {
          if (isHit) statistics.cacheHits++;
          else statistics.cacheMisses++;
        },
        log: context.log(name),
        notices: context.notices.of({ component: name, pipeline: config.name }),
      });
      await stage.start?.();
      const condition = compileConditions(conditions, conditionPolicy);
      const filter = condition && compileRowFilter(conditions, conditionPolicy, condition);
      calls.push(new StageCall(stage, statistics, context.notices, condition, context.tables, filter));
    } catch (error) {
      const hint = hintOf(error);
      await stopStages(calls).catch(() => undefined);
      throw new HeadraceError('HR_STAGE_START', `Stage ${name} (${entry.name}) could not start: ${messageOf(error)}`, {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
      });
    }
  }
  return calls;
}

/** Stops all stages, then throws the first error, if any. */
export async function stopStages(calls: readonly StageCall[]): Promise<void> {
  let first: unknown;
  for (const { stage } of calls) {
    try {
      await stage.stop?.();
    } catch (error) {
      first ??= error;
    }
  }
  if (first !== undefined) throw first;
}
