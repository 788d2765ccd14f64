import { type ReportProblem, type Value, withDefaults, writeValue } from '@headrace/engine';
import { DEFAULT_RETRY } from '../http/retry.ts';
import { readFile } from '../local-files/local-files.ts';
import { aliasOf } from '../reindexing/check-reindexing.ts';
import { findDifferences } from '../reindexing/find-differences.ts';
import { IndexAdmin } from '../reindexing/index-admin.ts';
import { type IndexDefinition, readDefinition } from '../reindexing/index-definition.ts';
import type { Json, RebuildPlan } from '../reindexing/types.ts';
import { CreateParameter, type IndexParameters, RebuildParameter } from './index-parameters.ts';
import { SearchEngine, type SearchEngineSettings } from './search-engine.ts';

/** The time limit of a request: a refresh of a large index takes minutes. */
const ANSWER_MS = 10 * 60_000;

export async function openAdmin(settings: SearchEngineSettings): Promise<IndexAdmin> {
  const options = { connections: 2, answerTimeout: ANSWER_MS, retry: DEFAULT_RETRY };
  return new IndexAdmin(await SearchEngine.open({ ...settings, ...options }));
}

/** Calls a function with a client for requests about indices, and closes the client. */
export async function withAdmin<T>(
  settings: SearchEngineSettings,
  work: (admin: IndexAdmin) => Promise<T>,
): Promise<T> {
  const admin = await openAdmin(settings);
  return work(admin).finally(() => admin.close());
}

/** Returns what a rebuild does. */
export function planOf(params: IndexParameters): RebuildPlan {
  const { checks: { queries = [], ...checks } = {}, keep } = params.rebuild ?? withDefaults(RebuildParameter);
  const saved = queries.map(({ query, ...more }) => ({ ...more, query: jsonOf(query) }));
  return { base: params.index, alias: aliasOf(params), keep, checks: { ...checks, queries: saved } };
}

/** Reads the block `create` and its files. */
export function definitionOf({ create = withDefaults(CreateParameter) }: IndexParameters): Promise<IndexDefinition> {
  const { settings = new Map(), mappings = new Map(), ...files } = create;
  const given = { ...files, settings: jsonOf(settings), mappings: jsonOf(mappings) };
  return readDefinition(given, (path) => readFile(path, 'utf8'));
}

/**
 * Reports each difference between the block `create` and what exists.
 * @param hasIndex whether the block describes an index, and not only templates and pipelines
 */
export async function checkDefinitionAccess(
  params: IndexParameters & SearchEngineSettings,
  hasIndex: boolean,
  report: ReportProblem,
): Promise<void> {
  const options = { rebuilds: params.rebuild !== undefined, updates: params.create?.update === true };
  const definition = await definitionOf(params);
  const all = await withAdmin(params, (admin) =>
    findDifferences(admin, hasIndex ? aliasOf(params) : undefined, definition, options),
  );
  for (const { parameter, ...problem } of all) {
    const isInFile = parameter[0] === 'mappings' && params.create?.mappings === undefined;
    report({ ...problem, parameter: ['create', ...(isInFile ? ['mappingsFile'] : parameter)], severity: 'warning' });
  }
}

/** Returns a part of a config as JSON. */
export function jsonOf(value: unknown): Json {
  return JSON.parse(writeValue(value as Value)) as Json;
}
