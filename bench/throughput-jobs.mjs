import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { csvColumns, csvJob, writeCsvData } from './csv-data.mjs';
import { fastest, inDirectory, inTurns, median, runConfig, runNode } from './measure.mjs';

const ROWS = 500_000;
const limit = fileURLToPath(new URL('./limit.mjs', import.meta.url));

/**
 * Measures CSV through nine field stages into several indexers, with the whole product: `headrace run` with default
 * settings and its start. The runs alternate with a program written by hand for this job (limit.mjs). Speeds are those
 * of the fastest rounds. Shares are those of the median rounds, because a fastest round may be luck.
 */
export function throughputJobs() {
  return inDirectory(async (directory) => {
    const data = `${directory}/data.csv`;
    writeCsvData(data, ROWS);
    const run = (config) => runConfig(directory, config, ROWS);
    const results = await inTurns(7, {
      nop: () => runNode([limit, data]),
      csv: () => runNode([limit, data, `${directory}/limit.csv`]),
      productNop: () => run(csvJob(data, 'class: NopIndexer')),
      productCsv: () => run(csvJob(data, 'type: CSV', csvColumns(`${directory}/out.csv`))),
      productJson: () => run(csvJob(data, 'type: JSONLines', `jsonl { path: "${directory}/out.jsonl" }`)),
      json: () =>
        run(
          `connectors: [{class: JSONConnector, name: json, pipeline: p, jsonPath: "${directory}/out.jsonl"}]
pipelines: [{name: p, stages: [{class: DeleteFields, fields: [label]}, {class: TrimWhitespace, fields: [title]}]}]
indexer { type: JSONLines }
jsonl { path: "${directory}/again.jsonl" }`,
        ),
    });
    const { nop, csv, productNop, productCsv, productJson, json } = Object.fromEntries(
      Object.entries(results).map(([name, all]) => [name, fastest(all)]),
    );
    const share = (byHand, ours) =>
      median(results[byHand].map(({ seconds }) => seconds)) / median(results[ours].map(({ seconds }) => seconds));
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
      row('by hand: CSV, nine stages, nowhere', nop),
      row('by hand: CSV, nine stages, CSV', csv),
      row('CSV, nine stages, Nop', productNop, {
        share: share('nop', 'productNop'),
        goal: '>= 480000, 60 % of by hand',
      }),
      row('CSV, nine stages, CSV', productCsv, {
        share: share('csv', 'productCsv'),
        goal: '>= 280000, 60 % of by hand',
      }),
      row('CSV, nine stages, JSON Lines', productJson, { goal: '>= 150000' }),
      row('JSON Lines, two stages, JSON Lines', json, { goal: '>= 150000' }, statSync(`${directory}/out.jsonl`).size),
    ];
  });
}
