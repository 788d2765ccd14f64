import { type IndexAdmin, inPath } from './index-admin.ts';
import { createNamed, describe, type IndexDefinition } from './index-definition.ts';
import { compareIndex, compareNamed } from './index-differences.ts';
import { ReindexError } from './reindex-error.ts';
import type { Log } from './types.ts';

/**
 * Creates the templates and the pipelines of a definition that are missing.
 * @param update whether existing ones that differ are changed
 */
export async function createDefinitions(
  admin: IndexAdmin,
  definition: IndexDefinition,
  update: boolean,
  log: Log,
): Promise<void> {
  for (const created of await createNamed(admin, definition)) log.info(`Created ${created}`);
  if (update) await updateNamed(admin, definition, log);
}

/**
 * Creates an index with the settings and mappings of a definition if it is missing.
 * @param update whether an existing index that differs is changed
 */
export async function createIndex(
  admin: IndexAdmin,
  index: string,
  definition: IndexDefinition,
  update: boolean,
  log: Log,
): Promise<void> {
  if ((await admin.find('HEAD', `/${inPath(index)}`)) !== undefined) {
    if (update) await updateIndex(admin, index, definition, log);
    return;
  }
  const { settings, mappings } = definition;
  await admin.ask('PUT', `/${inPath(index)}`, { settings, mappings });
  log.info(`Created the index ${index}`);
}

async function updateNamed(admin: IndexAdmin, definition: IndexDefinition, log: Log): Promise<void> {
  const differing = new Set((await compareNamed(admin, definition)).map(({ parameter }) => parameter.join(' ')));
  for (const one of definition.named) {
    if (!differing.has(`${one.kind} ${one.name}`)) continue;
    await admin.ask('PUT', one.path, one.body);
    log.info(`Changed ${describe(one)}`);
  }
}

async function updateIndex(admin: IndexAdmin, index: string, definition: IndexDefinition, log: Log): Promise<void> {
  const differences = await compareIndex(admin, index, definition);
  if (differences.length === 0) return;
  const settings = differences
    .filter(({ parameter }) => parameter[0] === 'settings')
    .map(({ parameter, wanted }) => [parameter.slice(1).join('.'), JSON.parse(wanted) as unknown]);
  if (settings.length > 0) await admin.ask('PUT', `/${inPath(index)}/_settings`, Object.fromEntries(settings));
  try {
    if (settings.length < differences.length) await admin.ask('PUT', `/${inPath(index)}/_mapping`, definition.mappings);
  } catch (error) {
    if (!(error instanceof ReindexError) || error.status !== 400) throw error;
    throw new ReindexError(
      `The mappings of the index ${index} cannot be changed: ${error.message}`,
      'A field of an existing index keeps its type. Build a new index with rebuild, or change create.mappings.',
    );
  }
  log.info(`Changed the index ${index}: ${differences.map(({ name }) => name).join(', ')}`);
}
