// Writes the tables of the metrics of documents, stages and indexers into the page of the metrics.
import { COMPONENT_METRICS, DOCUMENT_METRICS } from '@headrace/service/metrics';
import { code, prose, table } from './markdown.mjs';
import { withTables } from './written-parts.mjs';

/** @param page the text of the page */
export function metricsPage(page) {
  return withTables(page, 'the tables of counters', [DOCUMENT_METRICS, COMPONENT_METRICS].map(tableOf));
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
