import { type CheckResult, messageOf } from '@headrace/engine';
import { deleteWithinLimit } from './deletion-check.ts';
import { type IndexAdmin, inPath } from './index-admin.ts';
import { ReindexError } from './reindex-error.ts';
import type { FinishedRun, Json, Log } from './types.ts';

/** What a collection of Solr should be: the block `create`. */
export interface CollectionDefinition {
  /** Whether the server is a SolrCloud, in which a missing collection is created. */
  readonly isCloud: boolean;
  readonly configSet: string | undefined;
  readonly shards: number;
  readonly replicas: number;
  /** For each field of the schema, its properties: `type`, `stored`, `multiValued`, … */
  readonly fields: Iterable<readonly [string, Json]>;
  /** Whether existing fields that differ are replaced. */
  readonly update: boolean;
}

/** A difference between a definition and the schema of a collection. */
export interface FieldDifference {
  readonly parameter: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** Creates the collection of a SolrCloud if it is missing, and adds the fields that are missing. */
export async function createCollection(
  admin: IndexAdmin,
  collection: string,
  definition: CollectionDefinition,
  log: Log,
): Promise<void> {
  if (definition.isCloud && !(await collectionExists(admin, collection))) {
    await requestCollection(admin, collection, definition);
    log.info(`Created the collection ${collection}`);
  }
  await addFields(admin, collection, definition, log);
}

/**
 * Creates a collection with the schema of its config set.
 * @param properties of the collection
 */
export async function requestCollection(
  admin: IndexAdmin,
  collection: string,
  { configSet, shards, replicas }: CollectionDefinition,
  properties: Readonly<Record<string, string>> = {},
): Promise<void> {
  const query = new URLSearchParams({
    ...{ action: 'CREATE', name: collection, numShards: `${shards}`, replicationFactor: `${replicas}`, wt: 'json' },
    ...(configSet === undefined ? {} : { 'collection.configName': configSet }),
    ...properties,
  });
  try {
    await admin.ask('GET', `/admin/collections?${query}`);
  } catch (error) {
    if (!messageOf(error).includes('config set')) throw error;
    throw new ReindexError(
      `The collection ${collection} cannot be created: SolrCloud has no config set ${configSet ?? '_default'}`,
      'Upload the config set to ZooKeeper, or correct create.configSet. Without it, a copy of _default is used.',
    );
  }
}

/** Adds the fields that are missing in a schema. With `update`, replaces those that differ. */
export async function addFields(
  admin: IndexAdmin,
  collection: string,
  { fields, update }: CollectionDefinition,
  log: Log,
): Promise<void> {
  const existing = await fieldsOf(admin, collection);
  for (const [name, field] of fields) {
    const found = existing.get(name);
    if (found !== undefined && !(update && differs(field, found))) {
      if (differs(field, found)) log.warn(`The schema of ${collection} has another field ${name} than create.fields`);
      continue;
    }
    const command = found === undefined ? 'add-field' : 'replace-field';
    await admin.ask('POST', `/${inPath(collection)}/schema?wt=json`, { [command]: { name, ...field } });
    log.info(`${found === undefined ? 'Added' : 'Replaced'} the field ${name} in the schema of ${collection}`);
  }
}

/** Compares the fields of a definition with the schema, and changes nothing. */
export async function compareCollection(
  admin: IndexAdmin,
  collection: string,
  { isCloud, fields, update }: CollectionDefinition,
): Promise<FieldDifference[]> {
  if (isCloud && !(await collectionExists(admin, collection))) return [];
  const existing = await fieldsOf(admin, collection);
  const hint = update
    ? 'The next run replaces the field. Documents that are not written again keep their old form.'
    : 'A run changes no field that exists. Set create.update: true to let it.';
  const differences: FieldDifference[] = [];
  for (const [name, field] of fields) {
    const found = existing.get(name);
    for (const [property, wanted] of Object.entries(field)) {
      // The next run adds a missing field.
      if (found === undefined || JSON.stringify(found[property]) === JSON.stringify(wanted)) continue;
      const is = found[property] === undefined ? 'is missing' : `is ${JSON.stringify(found[property])}`;
      const message = `${property} of the field ${name} ${is} in ${collection}, but the config says ${JSON.stringify(wanted)}`;
      differences.push({ parameter: ['fields', name, property], message, hint });
    }
  }
  return differences;
}

interface FinishedCollection {
  readonly admin: IndexAdmin;
  readonly collection: string;
  /** Defaults to 20. */
  readonly maxDeletePercent: number | undefined;
  /** A query for the documents of the source. Defaults to all documents. */
  readonly where: string | undefined;
  readonly runId: string;
  readonly run: FinishedRun;
  /** The codes of notices of the class loss that the run may have. Defaults to none. */
  readonly allowNotices: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Deletes the documents of a source that a complete run did not write, within the limit: those with another `run_id`.
 * Commits before and after it.
 */
export async function deleteMissingFromCollection({
  admin,
  collection,
  maxDeletePercent,
  where = '*:*',
  runId,
  run,
  allowNotices,
  signal,
}: FinishedCollection): Promise<CheckResult> {
  const path = `/${inPath(collection)}`;
  const update = (command: Json) => admin.ask('POST', `${path}/update?wt=json`, command, signal);
  const count = async (query: string): Promise<number> => {
    const asked = `${path}/select?${new URLSearchParams({ q: query, rows: '0', wt: 'json' })}`;
    const answer = await admin.ask<{ response: { numFound: number } }>('GET', asked, undefined, signal);
    return answer.response.numFound;
  };
  const missing = `+(${where}) -run_id:"${runId}"`;
  const find = async () => {
    await update({ commit: {} });
    const [all, old] = [await count(where), await count(missing)];
    const deleteAll = async () => {
      await update({ delete: { query: missing } });
      await update({ commit: {} });
      return old - (await count(missing));
    };
    return { all, old, deleteAll };
  };
  return deleteWithinLimit({ maxDeletePercent, run, allowNotices, noun: 'document', find });
}

async function collectionExists(admin: IndexAdmin, collection: string): Promise<boolean> {
  const [list, aliases] = await Promise.all([
    admin.ask<{ collections: string[] }>('GET', '/admin/collections?action=LIST&wt=json'),
    admin.ask<{ aliases?: Json }>('GET', '/admin/collections?action=LISTALIASES&wt=json'),
  ]);
  return list.collections.includes(collection) || aliases.aliases?.[collection] !== undefined;
}

async function fieldsOf(admin: IndexAdmin, collection: string): Promise<Map<string, Json>> {
  // With the defaults of the field types, each property can be compared.
  const path = `/${inPath(collection)}/schema/fields?wt=json&showDefaults=true`;
  const { fields } = await admin.ask<{ fields: (Json & { name: string })[] }>('GET', path);
  return new Map(fields.map((field) => [field.name, field]));
}

function differs(wanted: Json, found: Json): boolean {
  return Object.entries(wanted).some(([name, value]) => JSON.stringify(found[name]) !== JSON.stringify(value));
}
