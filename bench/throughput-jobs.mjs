import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvJob, writeCsvData } from './csv-data.mjs';
import { headrace, runNode } from './measure.mjs';

const ROWS = 500_000;

/** CSV through nine field stages into several indexers, by the whole product: `headrace run` with default settings. */
export async function throughputJobs() {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-bench-'));
  try {
    const data = join(directory, 'data.csv');
    writeCsvData(data, ROWS);
    const bytes = statSync(data).size;
    const jobs = [
      ['CSV, nine stages, Nop', csvJob(data, 'class: NopIndexer')],
      [
        'CSV, nine stages, CSV',
        csvJob(
          data,
          'type: CSV',
          `csv { path: "${directory}/out.csv", columns: [id, product_id, title, brand, category, tag_list, price, stock, created, year, label, link] }`,
        ),
      ],
      ['CSV, nine stages, JSON Lines', csvJob(data, 'type: JSONLines', `jsonl { path: "${directory}/out.jsonl" }`)],
    ];
    const rows = [];
    for (const [job, config] of jobs) {
      rows.push(await measure(job, config, directory, bytes));
    }
    const lines = join(directory, 'out.jsonl');
    if (existsSync(lines)) {
      const config = `connectors: [{class: JSONConnector, name: json, pipeline: p, jsonPath: "${lines}"}]
pipelines: [{name: p, stages: [{class: DeleteFields, fields: [label]}, {class: TrimWhitespace, fields: [title]}]}]
indexer { type: JSONLines }
jsonl { path: "${directory}/again.jsonl" }`;
      rows.push(await measure('JSON Lines, two stages, JSON Lines', config, directory, statSync(lines).size));
    }
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(job, config, directory, bytes) {
  const file = join(directory, 'job.conf');
  writeFileSync(file, config);
  const { seconds, peak, output } = await runNode([headrace, 'run', file]);
  if (!output.includes(` ${ROWS} docs succeeded. 0 docs failed.`)) throw new Error(`${job}: ${output}`);
  return { job, value: ROWS / seconds, unit: 'docs/s', mbPerSecond: bytes / 1e6 / seconds, peak };
}
