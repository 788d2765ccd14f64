import { jsonErrorOf, messageOf, parseJson } from '@headrace/engine';
import { type IndexAdmin, inPath } from './index-admin.ts';
import { ReindexError } from './reindex-error.ts';
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
  const readJson = async (file: string, parameter: readonly string[]): Promise<Json> => {
    const hint = `Correct the file, or its path in create.${parameter.join('.')}.`;
    let text: string;
    try {
      text = await readFile(file);
    } catch (error) {
      const where = `${hint} A relative path starts at the working directory.`;
      throw new ReindexError(`${file} cannot be read: ${messageOf(error)}`, where, parameter);
    }
    let json: unknown;
    try {
      json = parseJson(text);
    } catch (error) {
      // The message of JSON.parse does not always have the position.
      const found = jsonErrorOf(text);
      const place = found === undefined ? file : `${file}:${lineAndColumn(text, found.at)}`;
      throw new ReindexError(`${place}: not valid JSON: ${found?.message ?? messageOf(error)}`, hint, parameter);
    }
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
    throw new ReindexError(`${file} must contain a JSON object`, hint, parameter);
  };
  const named: NamedDefinition[] = [];
  const add = async (kind: NamedDefinition['kind'], [name, file]: readonly [string, string]) => {
    named.push(namedDefinition(kind, name, await readJson(file, [kind, name])));
  };
  for (const one of pipelines) await add('pipelines', one);
  for (const one of templates) await add('templates', one);
  const json = mappingsFile === undefined ? mappings : await readJson(mappingsFile, ['mappingsFile']);
  // The answer of GET _mapping and the body of a new index have the mappings under this key.
  return { settings, mappings: (json.mappings as Json | undefined) ?? json, named };
}

function lineAndColumn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
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
