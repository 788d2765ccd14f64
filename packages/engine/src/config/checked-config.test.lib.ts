import { expect } from 'vitest';
import { checkConfig } from './check-config.ts';
import { openFixtureRegistry } from './fixture-components.test.lib.ts';
import type { IngestConfig } from './ingest-config.ts';
import { readConfigText } from './read-config.ts';

export const registry = await openFixtureRegistry();

export async function check(text: string) {
  const { root, problems } = readConfigText(text);
  expect(problems).toEqual([]);
  return checkConfig(root as never, registry);
}

/** Checks a config. Returns each problem as one string: `path line:column <component> message | hint`. */
export async function problemsOf(text: string): Promise<string[]> {
  const { config, problems } = await check(text);
  if (problems.some((problem) => problem.severity === 'error')) expect(config).toBeUndefined();
  else expect(config).toBeDefined();
  return problems.map(({ severity, path, line, column, component, message, hint }) =>
    [
      severity === 'error' ? '' : 'warning ',
      `${path} ${line === undefined ? '-' : `${line}:${column}`}`,
      component === undefined ? '' : ` <${component}>`,
      ` ${message}`,
      hint === undefined ? '' : ` | ${hint}`,
    ].join(''),
  );
}

export async function configOf(text: string): Promise<IngestConfig> {
  const { config, problems } = await check(text);
  expect(problems.filter((problem) => problem.severity === 'error')).toEqual([]);
  return config as IngestConfig;
}

export const connectors = 'connectors: [{class: Numbers, name: c, pipeline: p, count: 1}]';
export const pipelines = 'pipelines: [{name: p, stages: []}]';
export const indexer = 'indexer {type: nothing}';

/** Returns a config with these stages. */
export const withStages = (stages: string) => `${connectors}\npipelines: [{name: p, stages: [${stages}]}]\n${indexer}`;
