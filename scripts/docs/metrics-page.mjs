// Writes the tables of the metrics of documents, stages and indexers into the page of the metrics.
import { COMPONENT_METRICS, DOCUMENT_METRICS } from '@headrace/service/metrics';
import { code, prose, table } from './markdown.mjs';

const BEGIN = '<!-- Written by `npm run docs` from the tables of counters. Changes belong there. -->';
const END = '<!-- End of the written table. -->';

/** @param page the text of the page */
export function metricsPage(page) {
  const tables = [DOCUMENT_METRICS, COMPONENT_METRICS].map(tableOf);
  const [start, ...parts] = page.split(BEGIN);
  const rest = parts.map((part) => part.split(END)[1]);
  if (rest.length !== tables.length || rest.includes(undefined))
    throw new Error(`docs/metrics.md needs the lines ${BEGIN} and ${END} for ${tables.length} tables`);
  return start + rest.map((text, i) => `${BEGIN}\n\n${tables[i]}\n\n${END}${text}`).join('');
}

function tableOf(metrics) {
  const rows = metrics.map(({ name, type, label, description }) => [
    code(name),
    type,
    label === undefined ? '' : code(label),
    prose(`${description[0].toLowerCase()}${description.slice(1)}`),
  ]);
  return table(['name', 'type', 'labels', 'value'], rows);
}
