import { type IndexAdmin, inPath } from './index-admin.ts';
import { messageOf, ReindexError } from './reindex-error.ts';
import type { Json } from './types.ts';

/** An index template or an ingest pipeline. */
export interface NamedDefinition {
  readonly kind: 'templates' | 'pipelines';
  readonly name: string;
  /** The path of its requests. */
  readonly path: string;
  readonly body: Json;
}

/** What an index should be. */
export interface IndexDefinition {
  readonly settings: Json;
  readonly mappings: Json;
  /** Pipelines come before the templates that may need them. */
  readonly named: readonly NamedDefinition[];
}

/** The block `create`, as texts and JSON. */
export interface GivenDefinition {
  readonly settings?: Json;
  readonly mappings?: Json;
  readonly mappingsFile?: string;
  /** The files of templates and pipelines by name. */
  readonly templates?: Iterable<readonly [string, string]>;
  readonly pipelines?: Iterable<readonly [string, string]>;
}

/** Completes a definition with the contents of its files. */
export async function readDefinition(
  { settings = {}, mappings = {}, mappingsFile, templates = [], pipelines = [] }: GivenDefinition,
  readFile: (path: string) => Promise<string>,
): Promise<IndexDefinition> {
  const named: NamedDefinition[] = [];
  for (const [name, file] of pipelines) named.push(namedDefinition('pipelines', name, await readJson(file, readFile)));
  for (const [name, file] of templates) named.push(namedDefinition('templates', name, await readJson(file, readFile)));
  const json = mappingsFile === undefined ? mappings : await readJson(mappingsFile, readFile);
  // The answer of GET _mapping and the body of a new index have the mappings under this key.
  return { settings, mappings: (json.mappings as Json | undefined) ?? json, named };
}

const FILE_HINT = 'Correct the file, or its path in mappingsFile, templates or pipelines of the block create.';

async function readJson(file: string, readFile: (path: string) => Promise<string>): Promise<Json> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file));
  } catch (error) {
    throw new ReindexError(`${file} cannot be read as JSON: ${messageOf(error)}`, FILE_HINT);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new ReindexError(`${file} must contain a JSON object`, FILE_HINT);
}

function namedDefinition(kind: NamedDefinition['kind'], name: string, body: Json): NamedDefinition {
  const path = `/${kind === 'templates' ? '_index_template' : '_ingest/pipeline'}/${inPath(name)}`;
  return { kind, name, path, body };
}

/** Creates templates and pipelines that are missing. Returns what it created, for the log. */
export async function createNamed(admin: IndexAdmin, { named }: IndexDefinition): Promise<string[]> {
  const created: string[] = [];
  for (const definition of named) {
    const { path, body } = definition;
    if ((await admin.find('GET', path)) !== undefined) continue;
    await admin.ask('PUT', path, body);
    created.push(describe(definition));
  }
  return created;
}

export function describe({ kind, name }: NamedDefinition): string {
  return `${kind === 'templates' ? 'the index template' : 'the ingest pipeline'} ${name}`;
}
