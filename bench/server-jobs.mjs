import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { csvJob, writeCsvData } from './csv-data.mjs';
import { cpuSeconds, fastest, inTurns, median, runConfig, runNode } from './measure.mjs';
import { withServer } from './servers.mjs';

const TABLE = 'headrace_bench';
const ROWS = 1_000_000;

const INDEX = 'headrace-bench';
const DOCUMENTS = 100_000;
/** The defaults of the indexer: documents per request, and parallel requests. */
const BATCH = 100;
const IN_FLIGHT = 3;
const postBulk = fileURLToPath(new URL('./post-bulk.mjs', import.meta.url));

/** Measures a table of ten columns, and the memory for ten times the rows. */
export function postgresJobs(directory) {
  return withServer('postgres', directory, async ({ url }) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query(`DROP TABLE IF EXISTS ${TABLE}`);
      await client.query(`CREATE UNLOGGED TABLE ${TABLE} AS SELECT i AS key, 'SKU-' || i AS sku, 'a title of row ' || i AS title,
        md5(i::text) AS code, 'Brand ' || i % 500 AS brand, (i % 100000 / 100.0)::numeric(10, 2) AS price, i % 1000 AS stock,
        i % 3 = 0 AS active, i / 7.0::double precision AS weight, timestamptz '2024-01-01' + i * interval '1 second' AS created
        FROM generate_series(1, ${10 * ROWS}) AS i`);
      const run = (rows) => () => runConfig(directory, tableJob(url, rows, `${directory}/out.jsonl`), rows);
      const { once, tenfold } = await inTurns(2, { once: run(ROWS), tenfold: run(10 * ROWS) });
      const peakOf = (results) => median(results.map(({ peak }) => peak));
      const row = (rows, results) => {
        const { seconds, cpu } = fastest(results);
        const [value, peak] = [rows / seconds, peakOf(results)];
        return { job: `Postgres, JSON Lines: ${rows} rows`, value, unit: 'rows/s', cpu, peak, goal: '>= 150000' };
      };
      const ratio = peakOf(tenfold) / peakOf(once);
      return [
        row(ROWS, once),
        row(10 * ROWS, tenfold),
        { job: 'Postgres: memory of ten times the rows', value: ratio, unit: 'times', goal: '<= 1.15' },
      ];
    } finally {
      await client.query(`DROP TABLE IF EXISTS ${TABLE}`);
      await client.end();
    }
  });
}

function tableJob(url, rows, out) {
  const { host, pathname, username, password } = new URL(url);
  return `connectors: [{class: DatabaseConnector, name: db, pipeline: p, driver: org.postgresql.Driver, idField: key
  connectionString: "jdbc:postgresql://${host}${pathname}", jdbcUser: "${username}", jdbcPassword: "${password}"
  sql: "SELECT * FROM ${TABLE} LIMIT ${rows}"}]
pipelines: [{name: p, stages: []}]
indexer { type: JSONLines }
jsonl { path: "${out}" }`;
}

/** Measures the CSV job into OpenSearch, compared with a program that only sends the same documents. */
export function openSearchJobs(directory) {
  return withServer('opensearch', directory, async ({ url, pid }) => {
    const data = `${directory}/data.csv`;
    const lines = `${directory}/out.jsonl`;
    writeCsvData(data, DOCUMENTS);
    await runConfig(directory, csvJob(data, 'type: JSONLines', `jsonl { path: "${lines}" }`), DOCUMENTS);
    const config = csvJob(data, 'type: OpenSearch', `opensearch { url: "${url}", index: "${INDEX}" }`);
    /** Measures the run with a new index, and the processor time of the server. */
    const measured = (run) => async () => {
      await fetch(`${url}/${INDEX}`, { method: 'DELETE' });
      const [started, before] = [performance.now(), cpuSeconds(pid)];
      const result = await run();
      const serverCores = (cpuSeconds(pid) - before) / ((performance.now() - started) / 1000);
      await fetch(`${url}/${INDEX}/_refresh`, { method: 'POST' });
      const { count } = await (await fetch(`${url}/${INDEX}/_count`)).json();
      if (count !== DOCUMENTS) throw new Error(`${count} documents are in OpenSearch, not ${DOCUMENTS}`);
      return { ...result, serverCores };
    };
    const product = measured(() => runConfig(directory, config, DOCUMENTS));
    const byHand = measured(async () => {
      const result = await runNode([postBulk, url, INDEX, lines, BATCH, IN_FLIGHT]);
      return { ...result, seconds: Number(result.output) };
    });
    // A server that has just started is slow, so the first run is not measured.
    await byHand();
    const results = await inTurns(2, { byHand, product });
    await fetch(`${url}/${INDEX}`, { method: 'DELETE' });
    const [best, ours] = [fastest(results.byHand), fastest(results.product)];
    const rate = ({ seconds }) => ({ value: DOCUMENTS / seconds, unit: 'docs/s' });
    const cores = (job, value, goal) => ({ job: `CSV, nine stages, OpenSearch: ${job}`, value, unit: 'cores', goal });
    return [
      { job: 'by hand: the same into OpenSearch, bodies made before', ...rate(best) },
      {
        job: 'CSV, nine stages, OpenSearch',
        ...rate(ours),
        cpu: ours.cpu,
        peak: ours.peak,
        share: best.seconds / ours.seconds,
        goal: '>= 95 % of by hand',
      },
      cores('our process', ours.cpu / ours.seconds, '< 0.5'),
      ...(pid === undefined ? [] : [cores('the server', ours.serverCores)]),
    ];
  });
}
