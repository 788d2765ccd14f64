import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import { isPresent, kindName, place } from '../component/config-nodes.ts';
import { checkParameters } from '../component/parameters.ts';
import type { Registry } from '../component/registry.ts';
import { hasErrors, inTextOrder, type Problem } from '../errors/problem.ts';
import { rulesOf } from '../policy/policy-rules.ts';
import { ProblemList } from './check-component.ts';
import { checkConnectors } from './check-connectors.ts';
import { distributedOnly } from './check-distributed.ts';
import { checkIndexer } from './check-indexer.ts';
import { maskedSecrets } from './check-masked.ts';
import { checkOutputs, warnOfOutputs } from './check-outputs.ts';
import { checkPipelines } from './check-pipelines.ts';
import { warnOfReplaced } from './check-replaced.ts';
import { warnOfUnknownSections } from './check-top-level.ts';
import { warnOfUnused } from './check-unused.ts';
import { currentNames } from './current-names.ts';
import {
  engineBlocks,
  type LogSettings,
  type PublisherSettings,
  type RunnerSettings,
  type WorkerSettings,
} from './engine-blocks.ts';
import type { IngestConfig } from './ingest-config.ts';
import { checkMaxFailures } from './max-failures.ts';
import { checkNoticeRules } from './notice-rules.ts';
import { readPipelineTests, TESTS } from './pipeline-tests.ts';

/** The result of a check: all problems, and the config if no problem is an error. */
export interface CheckedConfig {
  config: IngestConfig | undefined;
  problems: Problem[];
}

/**
 * Checks a resolved config: pipelines, connectors, the indexer, the blocks of the engine, and references between them.
 * Returns all problems together, in the order of the text. Writes nothing, opens no connection and loads no large
 * library.
 * @param options.readFiles true: read the files that conditions name in `valuesPath`, as a run does; false: read no
 * files, and return the config without these conditions
 */
export async function checkConfig(
  written: ObjectNode,
  registry: Registry,
  { readFiles = true }: { readFiles?: boolean } = {},
): Promise<CheckedConfig> {
  const { policy } = registry.source;
  const list = new ProblemList(readFiles, policy && rulesOf(policy));
  const { root, problems: oldNames } = currentNames(written);
  list.problems.push(...oldNames);
  const pipelines = await checkPipelines(root, registry, list);
  const connectors = await checkConnectors(root, pipelines, registry, list);
  const indexer = await checkIndexer(root, registry, list);
  const worker = checkBlock(root, 'worker', list) as WorkerSettings;
  const publisher = checkBlock(root, 'publisher', list) as PublisherSettings;
  const runner = checkBlock(root, 'runner', list) as RunnerSettings;
  checkMaxFailures(root, runner, list);
  const noticeRules = checkNoticeRules(root, list);
  const log = checkBlock(root, 'log', list) as LogSettings;
  for (const key of ['zookeeper', 'kafka'] as const) {
    if (isPresent(root, key) && !list.misnamed.has(key)) checkBlock(root, key, list);
  }
  await checkOutputs(indexer, registry, list);
  await warnOfUnknownSections(root, registry, list);
  list.problems.push(...maskedSecrets(root));
  const distributed = registry.source.localOnly === true ? distributedOnly(root) : undefined;
  if (distributed !== undefined) list.problems.push(distributed);
  warnOfUnused(root, connectors, list);
  warnOfReplaced(root, list);
  warnOfTests(root, list);
  if (!hasErrors(list.problems)) await warnOfOutputs(connectors, indexer, registry, list);
  const problems = inTextOrder(list.problems);
  if (hasErrors(problems) || indexer === undefined) return { config: undefined, problems };
  return { config: { connectors, pipelines, indexer, worker, publisher, runner, noticeRules, log }, problems };
}

/**
 * Checks the unit tests in the config. Mistakes in tests are warnings, because a run does not read them. If a
 * substitution refers to the key `tests`, the key belongs to the user and is not checked.
 */
function warnOfTests(root: ObjectNode, list: ProblemList): void {
  if (root.substituted?.has(TESTS) === true) return;
  for (const problem of readPipelineTests(root).problems) list.add({ ...problem, severity: 'warning' });
}

function checkBlock(root: ObjectNode, key: keyof typeof engineBlocks, list: ProblemList): Record<string, unknown> {
  const empty: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin: root.origin };
  const block = isPresent(root, key) ? (root.entries.get(key) as ConfigNode) : empty;
  if (block.kind !== 'object') {
    list.add({
      code: 'HR_CONFIG_WRONG_TYPE',
      path: key,
      ...place(block.origin),
      component: key,
      message: `${key} is supposed to be a Config, was "${kindName(block)}"`,
    });
    return {};
  }
  const checked = checkParameters(engineBlocks[key], block, key, undefined, list.rules);
  list.addAll(checked.problems, key);
  return checked.value;
}
