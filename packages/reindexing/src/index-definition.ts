import { type IndexAdmin, inPath } from './index-admin.ts';
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

export function namedDefinition(kind: NamedDefinition['kind'], name: string, body: Json): NamedDefinition {
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
