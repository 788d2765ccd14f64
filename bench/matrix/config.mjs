import { INDEX } from './paths.mjs';
import { tableQuery } from './table.mjs';

/** Returns the config of a job as JSON, which is valid HOCON. */
export function configOf({ data, idField, stages, sink, columns }, { data: path, database, rows, out, bulk }) {
  const connectors = {
    csv: { class: 'CSVConnector', path, ...(idField === undefined ? {} : { idField }) },
    json: { class: 'JSONConnector', jsonPath: path },
    nested: { class: 'JSONConnector', jsonPath: path },
    xml: {
      class: 'XMLConnector',
      filePaths: [path],
      xmlRootPath: '/items/item',
      xmlIdPath: '/items/item/sku',
      encoding: 'utf-8',
      outputField: 'xml',
    },
    table: database === undefined ? undefined : tableConnector(database, rows),
  };
  const blacklist = ['run_id'];
  const sinks = {
    nop: { indexer: { type: 'Nop' } },
    csv: { indexer: { type: 'CSV' }, csv: { path: out, columns, includeHeader: false } },
    jsonl: { indexer: { type: 'JSONLines', blacklist }, jsonl: { path: out } },
    bulk: { indexer: { type: 'OpenSearch', blacklist }, opensearch: { url: bulk, index: INDEX } },
  };
  return JSON.stringify(
    {
      connectors: [{ name: 'source', pipeline: 'main', ...connectors[data.form] }],
      pipelines: [{ name: 'main', stages }],
      ...sinks[sink],
    },
    null,
    2,
  );
}

function tableConnector(database, rows) {
  const { host, pathname, username, password } = new URL(database);
  return {
    class: 'DatabaseConnector',
    driver: 'org.postgresql.Driver',
    connectionString: `jdbc:postgresql://${host}${pathname}`,
    jdbcUser: username,
    jdbcPassword: password,
    sql: tableQuery(rows),
    idField: 'sku',
  };
}
