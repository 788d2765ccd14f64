import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectNode } from '@headrace/hocon';
import type { ComponentConfig } from '../component/component-config.ts';
import { nodeAt } from '../component/config-nodes.ts';
import { silentLogger } from '../component/logger.ts';
import type { ParameterProblem } from '../component/parameters.ts';
import type { Reachable } from '../component/reach.ts';
import { Registry, type RegistrySource } from '../component/registry.ts';
import { HeadraceError, toFailure } from '../errors/headrace-error.ts';
import { inTextOrder, type Problem } from '../errors/problem.ts';
import { displayName, located } from './check-component.ts';
import { checkConfig } from './check-config.ts';
import type { IngestConfig } from './ingest-config.ts';
import { reachReason } from './reach-error.ts';

/** How long each component may take to see what it talks to. */
const TIMEOUT_MILLIS = 10_000;

/** What is to be reached: all that a config talks to. */
export interface ReachRequest {
  /** The resolved config. */
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** As in `RunRequest`. */
  readonly trusted?: boolean;
}

/** A component of a config, to be made and looked with. */
interface Target {
  readonly config: ComponentConfig;
  /** What problems call it. */
  readonly component: string;
  make(): Promise<Reachable>;
}

/**
 * Checks a config and, when it has no errors, looks whether all that it talks to is there, at the same time, within a
 * time limit each. Gives all problems, in the order of the text. Nothing is written or created.
 */
export async function reachConfig(request: ReachRequest, signal: AbortSignal): Promise<Problem[]> {
  try {
    const registry = await Registry.open(request.registry);
    const { config, problems } = await checkConfig(request.root, registry);
    if (config === undefined) return problems;
    const targets = targetsOf(config, registry, request.trusted === true, signal);
    const found = await Promise.all(targets.map((target) => reachOne(target, request.root, signal)));
    return inTextOrder([...problems, ...found.flat()]);
  } catch (error) {
    return [{ severity: 'error', path: '', ...toFailure(error, 'HR_INTERNAL') }];
  }
}

function targetsOf(config: IngestConfig, registry: Registry, trusted: boolean, signal: AbortSignal): Target[] {
  const { connectors, pipelines, indexer } = config;
  const log = silentLogger;
  const targets: Target[] = connectors.map((connector) => ({
    config: connector,
    component: connector.name,
    make: async () => {
      const Class = await registry.load(connector.entry, 'connector');
      const { name, docIdPrefix } = connector;
      return new Class(connector.params as never, { name, docIdPrefix, runId: '', log, signal, preview: true });
    },
  }));
  for (const { name: pipeline, stages } of pipelines) {
    for (const stage of stages) {
      targets.push({
        config: stage,
        component: displayName(stage.entry.name, stage.name),
        make: async () => {
          const Class = await registry.load(stage.entry, 'stage');
          const context = { name: stage.name, pipeline, runId: '', threadName: 'reach', threadNumber: 1, trusted, log };
          return new Class(stage.params as never, context);
        },
      });
    }
  }
  // Where nothing is sent, nothing has to be there.
  if (indexer.settings.sendEnabled === false) return targets;
  targets.push({
    config: indexer,
    component: indexer.path,
    make: async () => {
      const Class = await registry.load(indexer.entry, 'indexer');
      return new Class(indexer.params as never, { runId: '', log, settings: indexer.settings });
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
      throw new HeadraceError('HR_CONFIG_UNREACHABLE', `There was no answer within ${TIMEOUT_MILLIS / 1000} seconds`, {
        hint: 'Check the address, and that the server is up.',
      });
    });
    // What is late is given up with the thread that it is in.
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
