// Writes the table of the metrics of stages and indexers into the page of the metrics.
import { COMPONENT_METRICS } from '@headrace/service/metrics';
import { code, prose, table } from './markdown.mjs';

const BEGIN = '<!-- Written by `npm run docs` from the tables of counters. Changes belong there. -->';
const END = '<!-- End of the written table. -->';

/** @param page the text of the page */
export function metricsPage(page) {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`docs/metrics.md needs the lines ${BEGIN} and ${END}`);
  const rows = COMPONENT_METRICS.map(({ name, type, label, description }) => [
    code(name),
    type,
    code(label),
    prose(`${description[0].toLowerCase()}${description.slice(1)}`),
  ]);
  const written = table(['name', 'type', 'labels', 'value'], rows);
  return `${before}${BEGIN}\n\n${written}\n\n${END}${after}`;
}
