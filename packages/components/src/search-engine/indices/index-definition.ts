import { HeadraceError, messageOf, type Value, writeValue } from '@headrace/engine';
import { readFile } from '../../local-files/local-files.ts';
import type { IndexAdmin, Json } from './index-admin.ts';
import { inPath } from './index-admin.ts';
import type { CreateParameters } from './index-parameters.ts';

/** A template or a pipeline that is defined by a file. */
export interface NamedDefinition {
  readonly kind: 'templates' | 'pipelines';
  readonly name: string;
  /** The path of its requests. */
  readonly path: string;
  readonly body: Json;
}

/** What the block `create` says, with the contents of its files. */
export interface IndexDefinition {
  readonly settings: Json;
  readonly mappings: Json;
  readonly named: readonly NamedDefinition[];
}

/** Reads the block `create` and its files. */
export async function readDefinition(create: CreateParameters = {}): Promise<IndexDefinition> {
  const { settings, mappings, mappingsFile, templates, pipelines } = create;
  const named: NamedDefinition[] = [];
  for (const [name, file] of pipelines ?? []) {
    named.push({ kind: 'pipelines', name, path: `/_ingest/pipeline/${inPath(name)}`, body: await readJsonFile(file) });
  }
  for (const [name, file] of templates ?? []) {
    named.push({ kind: 'templates', name, path: `/_index_template/${inPath(name)}`, body: await readJsonFile(file) });
  }
  return {
    settings: settings === undefined ? {} : jsonOf(settings),
    mappings: mappings === undefined ? await readMappings(mappingsFile) : jsonOf(mappings),
    named,
  };
}

/** Returns a part of a config as JSON. */
export function jsonOf(value: unknown): Json {
  return JSON.parse(writeValue(value as Value)) as Json;
}

/** Creates templates and pipelines that are missing. Returns what it created, for the log. */
export async function createNamed(admin: IndexAdmin, { named }: IndexDefinition): Promise<string[]> {
  const created: string[] = [];
  for (const { kind, name, path, body } of named) {
    if ((await admin.find('GET', path)) !== undefined) continue;
    await admin.ask('PUT', path, body);
    created.push(`${kind === 'templates' ? 'the index template' : 'the ingest pipeline'} ${name}`);
  }
  return created;
}

async function readMappings(file: string | undefined): Promise<Json> {
  if (file === undefined) return {};
  const json = await readJsonFile(file);
  // The answer of GET _mapping and the body of a new index have the mappings under this key.
  return (json.mappings as Json | undefined) ?? json;
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
