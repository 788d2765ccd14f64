import type { ReportProblem } from '@headrace/engine';
import type { SearchEngineSettings } from '../search-engine.ts';
import { IndexAdmin, inPath } from './index-admin.ts';
import { requireAlias } from './index-alias.ts';
import { readDefinition } from './index-definition.ts';
import { compareIndex, compareNamed } from './index-differences.ts';
import { aliasOf, type IndexParameters } from './index-parameters.ts';

/** The maximum length of a value in a message. */
const MAX_VALUE = 200;

/** Compares the block `create` with what exists, and reports each difference. Changes nothing. */
export async function reachDefinition(
  params: IndexParameters & SearchEngineSettings,
  report: ReportProblem,
): Promise<void> {
  const { create = {}, rebuild } = params;
  const definition = await readDefinition(create);
  const index = rebuild === undefined ? params.index : aliasOf(params);
  const admin = await IndexAdmin.open(params);
  try {
    if (rebuild !== undefined) await requireAlias(admin, index);
    const exists = (await admin.find('HEAD', `/${inPath(index)}`)) !== undefined;
    const differences = [...(exists ? await compareIndex(admin, index, definition) : [])];
    const later = await compareNamed(admin, definition);
    for (const { parameter, name, wanted, found } of [...differences, ...later]) {
      const isOfIndex = parameter[0] === 'settings' || parameter[0] === 'mappings';
      const key = parameter[0] === 'mappings' && create.mappings === undefined ? ['mappingsFile'] : parameter;
      const where = isOfIndex ? ` in the index ${index}` : '';
      const has = found === undefined ? 'is missing' : `is ${short(found)}`;
      report({
        parameter: ['create', ...key],
        severity: 'warning',
        message: `${name} ${has}${where}, but the config says ${short(wanted)}`,
        hint: hintOf(isOfIndex && rebuild !== undefined, create.update === true),
      });
    }
  } finally {
    await admin.close();
  }
}

function hintOf(isRebuilt: boolean, update: boolean): string {
  if (isRebuilt) return 'The next run builds an index with the value of the config.';
  if (update) return 'The next run changes it, if the search engine allows that.';
  return 'A run changes nothing that exists. Set create.update: true to let it, or build a new index with rebuild.';
}

function short(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
}
