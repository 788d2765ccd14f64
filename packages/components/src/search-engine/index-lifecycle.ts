import { HeadraceError, messageOf, type ReportProblem, type Value, writeValue } from '@headrace/engine';
import {
  findDifferences,
  IndexAdmin,
  type IndexDefinition,
  type Json,
  namedDefinition,
  type RebuildPlan,
} from '@headrace/reindexing';
import { DEFAULT_RETRY } from '../http/retry.ts';
import { readFile } from '../local-files/local-files.ts';
import { aliasOf, type IndexParameters } from './index-parameters.ts';
import { SearchEngine, type SearchEngineSettings } from './search-engine.ts';

/** The time limit of a request: a refresh of a large index takes minutes. */
const ANSWER_MS = 10 * 60_000;

/** Calls a function with a client for requests about indices, and closes the client. */
export async function withAdmin<T>(
  settings: SearchEngineSettings,
  work: (admin: IndexAdmin) => Promise<T>,
): Promise<T> {
  const engine = await openAdmin(settings);
  try {
    return await work(adminOf(engine));
  } finally {
    await engine.close();
  }
}

export function openAdmin(settings: SearchEngineSettings): Promise<SearchEngine> {
  return SearchEngine.open({ ...settings, connections: 2, answerTimeout: ANSWER_MS, retry: DEFAULT_RETRY });
}

export function adminOf(engine: SearchEngine): IndexAdmin {
  return new IndexAdmin(engine.address, (request) => engine.request(request));
}

/** Returns what a rebuild does. */
export function planOf({ index, rebuild = {}, ...rest }: IndexParameters): RebuildPlan {
  const { checks: { queries, ...checks } = {}, keep = 1 } = rebuild;
  const saved = queries?.map(({ query, ...more }) => ({ ...more, query: jsonOf(query) }));
  return {
    base: index,
    alias: aliasOf({ index, rebuild, ...rest }),
    keep,
    checks: { ...checks, ...(saved === undefined ? {} : { queries: saved }) },
  };
}

/** Reads the block `create` and its files. */
export async function readDefinition({ create = {} }: IndexParameters): Promise<IndexDefinition> {
  const { settings, mappings, mappingsFile, templates = [], pipelines = [] } = create;
  const named = [];
  for (const [name, file] of pipelines) named.push(namedDefinition('pipelines', name, await readJsonFile(file)));
  for (const [name, file] of templates) named.push(namedDefinition('templates', name, await readJsonFile(file)));
  const json = mappingsFile === undefined ? jsonOf(mappings ?? new Map()) : await readJsonFile(mappingsFile);
  // The answer of GET _mapping and the body of a new index have the mappings under this key.
  return { settings: jsonOf(settings ?? new Map()), mappings: (json.mappings as Json | undefined) ?? json, named };
}

/** Reports each difference between the block `create` and what exists. */
export async function reachDefinition(
  params: IndexParameters & SearchEngineSettings,
  report: ReportProblem,
): Promise<void> {
  const { create = {}, rebuild } = params;
  const definition = await readDefinition(params);
  const index = rebuild === undefined ? params.index : aliasOf(params);
  const differences = await withAdmin(params, (admin) =>
    findDifferences(admin, index, definition, rebuild !== undefined),
  );
  for (const { parameter, message, isOfIndex } of differences) {
    const key = parameter[0] === 'mappings' && create.mappings === undefined ? ['mappingsFile'] : parameter;
    const hint =
      isOfIndex && rebuild !== undefined
        ? 'The next run builds an index with the value of the config.'
        : create.update === true
          ? 'The next run changes it, if the search engine allows that.'
          : 'A run changes nothing that exists. Set create.update: true to let it, or build a new index with rebuild.';
    report({ parameter: ['create', ...key], severity: 'warning', message, hint });
  }
}

/** Returns a part of a config as JSON. */
export function jsonOf(value: unknown): Json {
  return JSON.parse(writeValue(value as Value)) as Json;
}

async function readJsonFile(file: string): Promise<Json> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${file} cannot be read as JSON: ${messageOf(error)}`);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new HeadraceError('HR_SOURCE_UNREADABLE', `${file} must contain a JSON object`);
}
