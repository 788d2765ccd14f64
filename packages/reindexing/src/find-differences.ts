import { type IndexAdmin, inPath } from './index-admin.ts';
import { requireAlias } from './index-alias.ts';
import type { IndexDefinition } from './index-definition.ts';
import { compareIndex, compareNamed } from './index-differences.ts';

/** The maximum length of a value in a message. */
const MAX_VALUE = 200;

/** A difference between a definition and what exists. */
export interface ReportedDifference {
  /** The position in the definition. */
  readonly parameter: readonly string[];
  readonly message: string;
  /** Whether it is a setting or a mapping of the index. */
  readonly isOfIndex: boolean;
}

/**
 * Compares a definition with what exists, and changes nothing.
 * @param isAlias whether `index` must be an alias
 */
export async function findDifferences(
  admin: IndexAdmin,
  index: string,
  definition: IndexDefinition,
  isAlias: boolean,
): Promise<ReportedDifference[]> {
  if (isAlias) await requireAlias(admin, index);
  const exists = (await admin.find('HEAD', `/${inPath(index)}`)) !== undefined;
  const differences = exists ? await compareIndex(admin, index, definition) : [];
  differences.push(...(await compareNamed(admin, definition)));
  return differences.map(({ parameter, name, wanted, found }) => {
    const isOfIndex = parameter[0] === 'settings' || parameter[0] === 'mappings';
    const has = found === undefined ? 'is missing' : `is ${short(found)}`;
    const where = isOfIndex ? ` in the index ${index}` : '';
    return { parameter, isOfIndex, message: `${name} ${has}${where}, but the config says ${short(wanted)}` };
  });
}

function short(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
}
