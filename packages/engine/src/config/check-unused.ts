import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import { asList, isPresent, join, place, scalarText } from '../component/config-nodes.ts';
import { withoutEffect } from '../component/parameters.ts';
import { nearest } from '../errors/nearest.ts';
import type { ProblemList } from './check-component.ts';
import type { ConnectorConfig } from './ingest-config.ts';

/** The block `kafka` has an effect only in distributed runs, which the command line starts. */
const ONLY_DISTRIBUTED = {
  message: 'kafka has an effect only in distributed runs. This run is in one process',
  hint: 'Start a distributed run with headrace run CONFIG --distributed, and headrace worker and headrace indexer. Otherwise remove the block.',
};

const PIPELINE_KEYS: readonly string[] = ['name', 'stages', 'threads'];
const METRICS_LEVELS: readonly string[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'];

/**
 * Warns of settings without effect. They are not errors, because the reference accepts them. Parameters without effect
 * are marked with `NO_EFFECT` in their schema and are reported elsewhere.
 */
export function warnOfUnused(root: ObjectNode, connectors: readonly ConnectorConfig[], list: ProblemList): void {
  const listed = root.entries.get('pipelines');
  const pipelines = (listed === undefined ? undefined : asList(listed)) ?? [];
  for (const [i, pipeline] of pipelines.entries()) {
    if (pipeline.kind === 'object') warnOfUnknownKeys(pipeline, `pipelines[${i}]`, list);
  }
  warnOfUnfed(pipelines, connectors, list);
  warnOfNoConnectors(root, pipelines, list);
  for (const key of ['zookeeper', 'kafka'] as const) {
    if (!isPresent(root, key) || list.misnamed.has(key)) continue;
    const problem = withoutEffect(key, root.keys.get(key) ?? root.origin);
    list.addAll([key === 'kafka' ? { ...problem, ...ONLY_DISTRIBUTED } : problem], key);
  }
  warnOfLevel(root, list);
}

function warnOfUnknownKeys(pipeline: ObjectNode, path: string, list: ProblemList): void {
  for (const [key, child] of pipeline.entries) {
    if (PIPELINE_KEYS.includes(key)) continue;
    const best = nearest(key, PIPELINE_KEYS);
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: join(path, key),
      ...place(pipeline.keys.get(key) ?? child.origin),
      component: nameOf(pipeline) ?? path,
      message: `A pipeline has no key ${key}: it has no effect`,
      hint: best === undefined ? `Known keys: ${PIPELINE_KEYS.join(', ')}.` : `Did you mean ${best}?`,
    });
  }
}

/**
 * Warns of pipelines that no connector feeds: the user may have forgotten the key `pipeline` of a connector. Reports
 * nothing if there are no connectors, or if a connector names an unknown pipeline, which may be a misspelling of this
 * one.
 */
function warnOfUnfed(
  pipelines: readonly ConfigNode[],
  connectors: readonly ConnectorConfig[],
  list: ProblemList,
): void {
  const names = new Set(pipelines.map(nameOf));
  const fed = new Set(connectors.flatMap(({ pipeline }) => pipeline ?? []));
  if (connectors.length === 0 || [...fed].some((name) => !names.has(name))) return;
  for (const [i, pipeline] of pipelines.entries()) {
    const name = nameOf(pipeline);
    if (name === undefined || fed.has(name)) continue;
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: `pipelines[${i}]`,
      ...place(pipeline.origin),
      component: name,
      message: `No connector feeds the pipeline ${name}`,
      hint: `Add pipeline: ${name} to a connector.`,
    });
  }
}

function warnOfNoConnectors(root: ObjectNode, pipelines: readonly ConfigNode[], list: ProblemList): void {
  const connectors = root.entries.get('connectors');
  if (connectors?.kind !== 'list' || connectors.items.length > 0 || pipelines.length === 0) return;
  list.add({
    severity: 'warning',
    code: 'HR_CONFIG_UNUSED',
    path: 'connectors',
    ...place(connectors.origin),
    message: 'There are no connectors: nothing feeds the pipelines',
    hint: 'Add a connector: {class: "…", pipeline: "…"}.',
  });
}

function warnOfLevel(root: ObjectNode, list: ProblemList): void {
  const runner = root.entries.get('runner');
  const node = runner?.kind === 'object' ? runner.entries.get('metricsLoggingLevel') : undefined;
  const level = node === undefined ? undefined : scalarText(node);
  if (node === undefined || level === undefined || METRICS_LEVELS.includes(level.toUpperCase())) return;
  list.add({
    severity: 'warning',
    code: 'HR_CONFIG_INVALID_VALUE',
    path: 'runner.metricsLoggingLevel',
    ...place(node.origin),
    component: 'runner',
    message: `There is no log level ${level}`,
    hint: `Known levels: ${METRICS_LEVELS.join(', ')}.`,
  });
}

function nameOf(node: ConfigNode): string | undefined {
  const name = node.kind === 'object' ? node.entries.get('name') : undefined;
  return name === undefined ? undefined : scalarText(name);
}
