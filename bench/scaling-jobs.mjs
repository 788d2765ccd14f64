import { writeFileSync } from 'node:fs';
import { nineStages, writeCsvData } from './csv-data.mjs';
import { best, headrace, inDirectory, runNode } from './measure.mjs';

/** Patterns that look at every character of a long text several times: work for processors, nothing to wait for. */
const regexStages = [0, 1, 2, 3, 4, 5]
  .map(
    (i) =>
      `{class: ApplyRegex, source: [description], dest: [found${i}], regex: "([a-z]*${'aeiouy'[i]}[a-z]*) ([a-z]+[^aeiou ]) ([a-z]{5})"}`,
  )
  .join();

/** An expression that takes a document apart and puts it together again. */
const jsonataStages = `{class: ApplyJSONata, expression: "{ 'words': $count($split(description, ' ')), 'long': $join($split(description, ' ')[$length($) > 6], ' '), 'price': $number(price) * 1.19 }"}`;

/** What more threads, more documents and more stages cost. */
export function scalingJobs() {
  return inDirectory(async (directory) => {
    const files = {};
    for (const rows of [10_000, 300_000, 1_000_000, 10_000_000]) {
      files[rows] = `${directory}/${rows}.csv`;
      writeCsvData(files[rows], rows);
    }
    const time = async (rows, stages, rest = '') => {
      const file = `${directory}/job.conf`;
      writeFileSync(
        file,
        `connectors: [{class: CSVConnector, name: csv, pipeline: p, path: "${files[rows]}"}]
pipelines: [{name: p, stages: [${stages}]}]
indexer { class: NopIndexer }
${rest}`,
      );
      const { output } = await runNode([headrace, 'run', file]);
      // Without the start of the process, which has nothing to do with the number of documents.
      return Number(/Time: ([\d.]+) secs/.exec(output)[1]);
    };
    const fastest = async (...args) => {
      let seconds;
      for (let i = 0; i < 3; i++) seconds = best(seconds, await time(...args), (value) => value);
      return seconds;
    };
    const rows = [];
    const one = await fastest(300_000, regexStages, 'worker { threads: 1 }');
    const two = await fastest(300_000, regexStages, 'worker { threads: 2 }');
    rows.push({ job: 'regular expressions: two threads against one', value: one / two, unit: 'times', goal: '>= 1.8' });
    const jsonata = await fastest(300_000, jsonataStages, 'worker { threads: 1 }');
    const jsonataTwo = await fastest(300_000, jsonataStages, 'worker { threads: 2 }');
    rows.push({ job: 'JSONata: two threads against one', value: jsonata / jsonataTwo, unit: 'times', goal: '>= 1.8' });
    const few = await fastest(10_000, nineStages);
    const many = await fastest(1_000_000, nineStages);
    const most = await fastest(10_000_000, nineStages);
    const cost = (job, value) => rows.push({ job: `cost of a document: ${job}`, value, unit: 'times', goal: '<= 1.1' });
    cost('10,000,000 against 10,000', most / 1000 / few);
    cost('10,000,000 against 1,000,000', most / 10 / many);
    const thrice = await fastest(
      1_000_000,
      Array(3).fill('{class: TrimWhitespace, fields: [title, brand, tags]}').join(),
    );
    const thirty = await fastest(
      1_000_000,
      Array(30).fill('{class: TrimWhitespace, fields: [title, brand, tags]}').join(),
    );
    const sixty = await fastest(
      1_000_000,
      Array(57).fill('{class: TrimWhitespace, fields: [title, brand, tags]}').join(),
    );
    rows.push({
      job: 'cost of a stage: the 31st to 57th against the 4th to 30th',
      value: (sixty - thirty) / (thirty - thrice),
      unit: 'times',
      goal: '<= 1.1',
    });
    return rows;
  });
}
