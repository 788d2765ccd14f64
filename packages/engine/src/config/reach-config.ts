import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectNode } from '@headrace/hocon';
import type { ComponentConfig } from '../component/component-config.ts';
import { nodeAt } from '../component/config-nodes.ts';
import { silentLogger } from '../component/logger.ts';
import type { ParameterProblem } from '../component/parameters.ts';
import type { Reachable } from '../component/reach.ts';
import { Registry, type RegistrySource } from '../component/registry.ts';
import type { StageContext } from '../component/stage.ts';
import { HeadraceError, toFailure } from '../errors/headrace-error.ts';
import { inTextOrder, type Problem } from '../errors/problem.ts';
import { silentNotices } from '../notices/notice.ts';
import { displayName, located } from './check-component.ts';
import { checkConfig } from './check-config.ts';
import type { IngestConfig } from './ingest-config.ts';
import { reachReason } from './reach-error.ts';

/** The maximum time for each component to reach its server or files. */
const TIMEOUT_MILLIS = 10_000;

/** A config whose servers and files are checked. */
export interface ReachRequest {
  /** The resolved config. */
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** True if the config comes from a trusted source, as in `RunRequest`. */
  readonly trusted?: boolean;
}

/** A component that is created for the check. */
interface Target {
  readonly config: ComponentConfig;
  /** The name of the component in problem reports. */
  readonly component: string;
  make(): Promise<Reachable>;
}

/**
 * Checks a config. If it has no errors, also checks whether every server and file that it uses can be reached. These
 * checks run in parallel, each with a time limit. Returns all problems in the order of the text. Writes and creates
 * nothing.
 */
export async function reachConfig(request: ReachRequest, signal: AbortSignal): Promise<Problem[]> {
  try {
    const registry = await Registry.open(request.registry);
    const { config, problems } = await checkConfig(request.root, registry);
    if (config === undefined) return problems;
    const computeMillis = Math.min((config.worker.maxProcessingSecs as number) * 1000, TIMEOUT_MILLIS);
    const targets = targetsOf(config, registry, { trusted: request.trusted === true, computeMillis }, signal);
    const found = await Promise.all(targets.map((target) => reachOne(target, request.root, signal)));
    return inTextOrder([...problems, ...found.flat()]);
  } catch (error) {
    return [{ severity: 'error', path: '', ...toFailure(error, 'HR_INTERNAL') }];
  }
}

function targetsOf(
  config: IngestConfig,
  registry: Registry,
  stageOptions: Pick<StageContext, 'trusted' | 'computeMillis'>,
  signal: AbortSignal,
): Target[] {
  const { connectors, pipelines, indexer } = config;
  const log = silentLogger;
  const notices = silentNotices;
  const targets: Target[] = connectors.map((connector) => ({
    config: connector,
    component: connector.name,
    make: async () => {
      const Class = await registry.load(connector.entry, 'connector');
      const { name, docIdPrefix } = connector;
      return new Class(connector.params as never, {
        name,
        docIdPrefix,
        runId: '',
        log,
        notices,
        signal,
        preview: true,
      });
    },
  }));
  for (const { name: pipeline, stages } of pipelines) {
    for (const stage of stages) {
      targets.push({
        config: stage,
        component: displayName(stage.entry.name, stage.name),
        make: async () => {
          const Class = await registry.load(stage.entry, 'stage');
          const names = { name: stage.name, pipeline, runId: '', threadName: 'reach', threadNumber: 1 };
          const context = { ...names, ...stageOptions, shared: new Map<string, unknown>(), log, notices };
          return new Class(stage.params as never, context);
        },
      });
    }
  }
  // If the config disables sending, the destination may be missing.
  if (indexer.settings.sendEnabled === false) return targets;
  targets.push({
    config: indexer,
    component: indexer.path,
    make: async () => {
      const Class = await registry.load(indexer.entry, 'indexer');
      return new Class(indexer.params as never, { runId: '', log, notices, settings: indexer.settings });
    },
  });
  return targets;
}

async function reachOne(target: Target, root: ObjectNode, signal: AbortSignal): Promise<Problem[]> {
  const { path } = target.config;
  const problems: Problem[] = [];
  const report = (problem: ParameterProblem) => {
    const [base, from] = problem.block === 'indexer' ? ['indexer', 'indexer'] : [path, target.component];
    const at = located(problem, nodeAt(root, base) ?? root, base);
    problems.push({ ...at, code: 'HR_CONFIG_UNREACHABLE', component: from });
  };
  const done = new AbortController();
  try {
    const late = AbortSignal.any([signal, done.signal]);
    const limit = sleep(TIMEOUT_MILLIS, undefined, { signal: late, ref: false }).then(() => {
      throw new HeadraceError(
        'HR_CONFIG_UNREACHABLE',
        `The server did not answer within ${TIMEOUT_MILLIS / 1000} seconds`,
        {
          hint: 'Check the address, and that the server is running.',
        },
      );
    });
    // A check that exceeds the limit is abandoned. It ends with its thread.
    limit.catch(() => undefined);
    const component = await target.make();
    await Promise.race([component.reach?.(report, late), limit]);
  } catch (error) {
    report({ parameter: [], ...reachReason(error) });
  } finally {
    done.abort();
  }
  return problems;
}
