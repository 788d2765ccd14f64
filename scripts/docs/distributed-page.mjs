// Writes the table of the settings of the block kafka into the page of distributed runs.
import { engineBlocks, specFields } from '@headrace/engine';
import { parameterTable } from './component-pages.mjs';
import { withTables } from './written-parts.mjs';

/** @param page the text of the page */
export function distributedPage(page) {
  const { kafka } = engineBlocks;
  return withTables(page, 'the schema of the block', [parameterTable(specFields(kafka), kafka)]);
}
