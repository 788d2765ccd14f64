import { statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { csvColumns, csvJob, writeCsvData } from './csv-data.mjs';
import { headrace, inDirectory, inTurns, runNode } from './measure.mjs';

const ROWS = 500_000;
const limit = fileURLToPath(new URL('./limit.mjs', import.meta.url));

/**
 * CSV through nine field stages into several indexers, by the whole product: `headrace run` with default settings, its
 * start included, side by side with the program that was written by hand for this job (limit.mjs).
 */
export function throughputJobs() {
  return inDirectory(async (directory) => {
    const data = `${directory}/data.csv`;
    writeCsvData(data, ROWS);
    const byHand = await fastest({
      nop: () => runNode([limit, data]),
      csv: () => runNode([limit, data, `${directory}/limit.csv`]),
      productNop: () => product(directory, csvJob(data, 'class: NopIndexer')),
      productCsv: () => product(directory, csvJob(data, 'type: CSV', csvColumns(`${directory}/out.csv`))),
      productJson: () =>
        product(directory, csvJob(data, 'type: JSONLines', `jsonl { path: "${directory}/out.jsonl" }`)),
      json: () =>
        product(
          directory,
          `connectors: [{class: JSONConnector, name: json, pipeline: p, jsonPath: "${directory}/out.jsonl"}]
pipelines: [{name: p, stages: [{class: DeleteFields, fields: [label]}, {class: TrimWhitespace, fields: [title]}]}]
indexer { type: JSONLines }
jsonl { path: "${directory}/again.jsonl" }`,
        ),
    });
    const bytes = statSync(data).size;
    const row = (job, { seconds, peak }, rest = {}, size = bytes) => ({
      job,
      value: ROWS / seconds,
      unit: 'docs/s',
      mbPerSecond: size / 1e6 / seconds,
      peak,
      ...rest,
    });
    return [
      row('by hand: CSV, nine stages, nowhere', byHand.nop),
      row('by hand: CSV, nine stages, CSV', byHand.csv),
      row('CSV, nine stages, Nop', byHand.productNop, {
        share: byHand.nop.seconds / byHand.productNop.seconds,
        goal: '>= 480000, 60 % of by hand',
      }),
      row('CSV, nine stages, CSV', byHand.productCsv, {
        share: byHand.csv.seconds / byHand.productCsv.seconds,
        goal: '>= 280000, 60 % of by hand',
      }),
      row('CSV, nine stages, JSON Lines', byHand.productJson, { goal: '>= 150000' }),
      row(
        'JSON Lines, two stages, JSON Lines',
        byHand.json,
        { goal: '>= 150000' },
        statSync(`${directory}/out.jsonl`).size,
      ),
    ];
  });
}

/** The fastest of several rounds of each. */
async function fastest(jobs, rounds = 5) {
  const results = await inTurns(rounds, jobs);
  return Object.fromEntries(
    Object.entries(results).map(([name, all]) => [name, all.reduce((a, b) => (a.seconds < b.seconds ? a : b))]),
  );
}

async function product(directory, config) {
  const file = `${directory}/job.conf`;
  writeFileSync(file, config);
  const result = await runNode([headrace, 'run', file]);
  if (!result.output.includes(` ${ROWS} docs succeeded. 0 docs failed.`)) throw new Error(result.output);
  return result;
}
