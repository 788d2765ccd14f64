import { writeFileSync } from 'node:fs';
import { nineStages, writeCsvData } from './csv-data.mjs';
import { headrace, inDirectory, inTurns, median, runNode } from './measure.mjs';

/** Patterns that read every character of a long text several times, which is pure processor work. */
const regexStages = [0, 1, 2, 3, 4, 5]
  .map(
    (i) =>
      `{class: ApplyRegex, source: [description], dest: [found${i}], regex: "([a-z]*${'aeiouy'[i]}[a-z]*) ([a-z]+[^aeiou ]) ([a-z]{5})"}`,
  )
  .join();

/** A JSONata expression that splits a document and builds a new one. */
const jsonataStages = `{class: ApplyJSONata, expression: "{ 'words': $count($split(description, ' ')), 'long': $join($split(description, ' ')[$length($) > 6], ' '), 'price': $number(price) * 1.19 }"}`;

const trims = (count) => Array(count).fill('{class: TrimWhitespace, fields: [title, brand, tags]}').join();

/** Measures the cost of more threads, more documents and more stages. */
export function scalingJobs() {
  return inDirectory(async (directory) => {
    const files = {};
    for (const rows of [10_000, 1_000_000, 10_000_000]) {
      files[rows] = `${directory}/${rows}.csv`;
      writeCsvData(files[rows], rows);
    }
    let configs = 0;
    /**
     * Measures the seconds of a run, without the start of the process, which does not depend on the size of the run.
     */
    const job = (rows, stages, rest = '') => {
      const file = `${directory}/${configs++}.conf`;
      writeFileSync(
        file,
        `connectors: [{class: CSVConnector, name: csv, pipeline: p, path: "${files[rows]}"}]
pipelines: [{name: p, stages: [${stages}]}]
indexer { class: NopIndexer }
${rest}`,
      );
      return async () => Number(/Time: ([\d.]+) secs/.exec((await runNode([headrace, 'run', file])).output)[1]);
    };
    return [
      ...(await threads('regular expressions', (rest) => job(1_000_000, regexStages, rest))),
      ...(await threads('JSONata', (rest) => job(1_000_000, jsonataStages, rest))),
      ...(await documents(job)),
      await stages(job),
    ];
  });
}

/**
 * Measures the gain of a second thread: against one thread alone, and against two simultaneous runs of one thread each.
 * The two runs show what both cores of the machine can do. Cores that share caches, or that are slower together, are
 * less than twice as fast as one. The runs take a quarter of a minute: a second thread gains less until V8 has compiled
 * the hot code in each thread.
 */
async function threads(what, job) {
  const one = job('worker { threads: 1 }');
  const { alone, both, two } = await inTurns(3, {
    alone: one,
    both: async () => Math.max(...(await Promise.all([one(), one()]))),
    two: job('worker { threads: 2 }'),
  });
  const gain = (job, value, goal) => ({ job: `${what}: ${job}`, value, unit: 'times', ...goal });
  return [
    gain('two threads against one', Math.min(...alone) / Math.min(...two), { goal: '>= 1.8' }),
    gain('two simultaneous runs against one', (2 * Math.min(...alone)) / Math.min(...both)),
    gain('two threads against two simultaneous runs', median(both) / 2 / median(two), { goal: '>= 0.9' }),
  ];
}

async function documents(job) {
  const { few, many, most } = await inTurns(3, {
    few: job(10_000, nineStages),
    many: job(1_000_000, nineStages),
    most: job(10_000_000, nineStages),
  });
  const cost = (job, value) => ({ job: `cost of a document: ${job}`, value, unit: 'times', goal: '<= 1.1' });
  return [
    cost('10,000,000 against 10,000', Math.min(...most) / 1000 / Math.min(...few)),
    cost('10,000,000 against 1,000,000', Math.min(...most) / 10 / Math.min(...many)),
  ];
}

/**
 * Measures the cost of a stage in one pipeline thread. It starts with enough stages that reading the file is not
 * slower.
 */
async function stages(job) {
  const withStages = (count) => job(1_000_000, trims(count), 'worker { threads: 1 }');
  const { few, some, many } = await inTurns(5, { few: withStages(30), some: withStages(57), many: withStages(84) });
  const value = (Math.min(...many) - Math.min(...some)) / (Math.min(...some) - Math.min(...few));
  return { job: 'cost of a stage: the 58th to 84th against the 31st to 57th', value, unit: 'times', goal: '<= 1.1' };
}
