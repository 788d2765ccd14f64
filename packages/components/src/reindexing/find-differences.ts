import { type IndexAdmin, inPath } from './index-admin.ts';
import { requireAlias } from './index-alias.ts';
import type { IndexDefinition } from './index-definition.ts';
import { compareIndex, compareNamed } from './index-differences.ts';

/** The maximum length of a value in a message. */
const MAX_VALUE = 200;

const REBUILT = 'The next run builds an index with the value of the config.';
const UPDATED = 'The next run changes it, if the search engine allows that.';
const KEPT = 'A run changes nothing that exists. Set create.update: true to let it, or build a new index with rebuild.';

/** A difference between a definition and what exists. */
export interface ReportedDifference {
  /** The position in the definition. */
  readonly parameter: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/**
 * Compares a definition with what exists, and changes nothing.
 * @param index undefined if only templates and pipelines are compared
 * @param options.rebuilds whether `index` is an alias, and each run builds a new index for it
 * @param options.updates whether a run changes what exists
 */
export async function findDifferences(
  admin: IndexAdmin,
  index: string | undefined,
  definition: IndexDefinition,
  { rebuilds, updates }: { readonly rebuilds: boolean; readonly updates: boolean },
): Promise<ReportedDifference[]> {
  if (rebuilds && index !== undefined) await requireAlias(admin, index);
  const exists = index !== undefined && (await admin.find('HEAD', `/${inPath(index)}`)) !== undefined;
  const differences = exists ? await compareIndex(admin, index, definition) : [];
  differences.push(...(await compareNamed(admin, definition)));
  return differences.map(({ parameter, name, wanted, found }) => {
    const isOfIndex = parameter[0] === 'settings' || parameter[0] === 'mappings';
    const has = found === undefined ? 'is missing' : `is ${short(found)}`;
    const where = isOfIndex ? ` in the index ${index}` : '';
    const hint = isOfIndex && rebuilds ? REBUILT : updates ? UPDATED : KEPT;
    return { parameter, hint, message: `${name} ${has}${where}, but the config says ${short(wanted)}` };
  });
}

function short(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
}
