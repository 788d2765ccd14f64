import { type IndexAdmin, inPath } from './index-admin.ts';
import { ReindexError } from './reindex-error.ts';
import type { Json } from './types.ts';

/** The indices that an alias points to, with the properties of the alias. */
export type AliasTargets = ReadonlyMap<string, Json>;

export async function aliasTargets(admin: IndexAdmin, alias: string): Promise<AliasTargets> {
  const answer = await admin.find<Record<string, { aliases: Record<string, Json> }>>('GET', `/_alias/${inPath(alias)}`);
  return new Map(Object.entries(answer ?? {}).map(([index, { aliases }]) => [index, aliases[alias] ?? {}]));
}

/** Throws if an index or a data stream has the name of the alias. */
export async function requireAlias(admin: IndexAdmin, alias: string): Promise<AliasTargets> {
  const targets = await aliasTargets(admin, alias);
  if (targets.size === 0 && (await admin.find('HEAD', `/${inPath(alias)}`)) !== undefined) {
    throw new ReindexError(
      `${alias} is an index or a data stream at ${admin.address}, but rebuild needs an alias`,
      'Set rebuild.alias to another name, or rename the index first: see docs/reindexing.md.',
    );
  }
  return targets;
}

/**
 * Moves an alias from all its indices to one index, in one atomic request. A filter and the routing of the alias stay.
 * Returns the indices that the alias pointed to before.
 * @param more further actions of the same request
 */
export async function moveAlias(
  admin: IndexAdmin,
  alias: string,
  index: string,
  more: readonly Json[] = [],
): Promise<AliasTargets> {
  const targets = await aliasTargets(admin, alias);
  const properties = targets.values().next().value ?? {};
  const actions: Json[] = [...targets.keys()]
    .filter((target) => target !== index)
    .map((target) => ({ remove: { index: target, alias, must_exist: true } }));
  actions.push({ add: { ...properties, index, alias, ...writable(properties) } }, ...more);
  try {
    await admin.ask('POST', '/_aliases', { actions });
  } catch (error) {
    // The response may be lost, and then the second attempt fails.
    const now = await aliasTargets(admin, alias);
    if (now.size !== 1 || !now.has(index)) throw error;
  }
  return targets;
}

/** The only index of an alias is its write index, even if the previous one was not. */
function writable(properties: Json): Json {
  return properties.is_write_index === undefined ? {} : { is_write_index: true };
}
