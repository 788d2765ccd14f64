import { closeSync, copyFileSync, createReadStream, createWriteStream, openSync, rmSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { writeCsvData } from './csv-data.mjs';
import { cpuSeconds, inDirectory, median, runConfig } from './measure.mjs';
import { withServer } from './servers.mjs';

/** One of this many documents changes between two runs. */
const EACH = 100;
const ROUNDS = 3;
const INDEX = 'headrace-bench-skip';
const CHANGED = '-9999999';

const JSONATA = `{ class: ApplyJSONata, expression: "{ 'price': price, 'words': $count($split(description, ' ')), 'net': $number(price) / 1.19 }" }`;

/** The jobs. The factor depends on what a document costs before it is sent, and on what it costs the search engine. */
const SHAPES = [
  { name: '10 columns', documents: 1_000_000, write: writeCsvData, stages: '' },
  { name: '50 columns', documents: 200_000, write: writeWide, stages: '' },
  { name: 'texts of 4 KB', documents: 100_000, write: writeTexts, stages: '' },
  { name: '10 columns and a JSONata stage', documents: 200_000, write: writeCsvData, stages: JSONATA },
];

/**
 * Measures `skipUnchanged` with OpenSearch: complete runs into a new index and runs in which 1 % of the documents have
 * changed, in turns, after a first complete run that warms up the search engine. All runs have `skipUnchanged`.
 */
export function skipJobs() {
  return inDirectory((directory) =>
    withServer('opensearch', directory, async ({ url, pid }) => {
      const rows = [];
      for (const shape of SHAPES) rows.push(...(await measureShape(shape, directory, url, pid)));
      return rows;
    }),
  );
}

async function measureShape({ name, documents, write, stages }, directory, url, pid) {
  // Documents contain the path of their file, so both versions are copied to one path.
  const data = `${directory}/data.csv`;
  const versions = [`${directory}/0.csv`, `${directory}/1.csv`];
  write(versions[0], documents);
  await changeSome(...versions);
  /** Runs the job. The processor time includes that of the search engine. */
  const run = async (index) => {
    const before = cpuSeconds(pid);
    const result = await runConfig(directory, job(data, url, index, stages, directory), documents);
    return { ...result, all: result.cpu + cpuSeconds(pid) - before };
  };
  const remove = async (index) => {
    await fetch(`${url}/${index}`, { method: 'DELETE' });
    for (const end of ['', '-wal', '-shm']) rmSync(`${directory}/${index}.hashes${end}`, { force: true });
  };
  const [full, kept] = [`${INDEX}-full`, INDEX];
  copyFileSync(versions[0], data);
  await run(kept);
  const complete = [];
  const incremental = [];
  for (let round = 1; round <= ROUNDS; round++) {
    copyFileSync(versions[round % 2], data);
    const second = await run(kept);
    requireUnchanged(second.output, documents - documents / EACH);
    await requireChanged(url, kept, documents, round % 2 === 1 ? documents / EACH : 0);
    incremental.push(second);
    await remove(full);
    complete.push(await run(full));
  }
  await remove(full);
  await remove(kept);
  const middle = (results, key) => median(results.map((result) => result[key]));
  const row = (what, results) => ({
    job: `OpenSearch, ${documents} documents, ${name}: ${what}`,
    value: documents / middle(results, 'seconds'),
    unit: 'docs/s',
    cpu: middle(results, 'cpu'),
    peak: middle(results, 'peak'),
  });
  const ratio = (key) => middle(complete, key) / middle(incremental, key);
  const goal = stages === '' ? { goal: '>= 10' } : {};
  return [
    row('all sent', complete),
    row('1 % changed', incremental),
    { job: `${name}: speed compared with the complete run`, value: ratio('seconds'), unit: 'times', ...goal },
    { job: `${name}: processor time of both processes, compared`, value: ratio('all'), unit: 'times' },
  ];
}

function job(path, url, index, stages, directory) {
  return `connectors: [{ class: CSVConnector, name: csv, pipeline: p, path: "${path}", idField: sku }]
pipelines: [{ name: p, stages: [${stages}] }]
indexer { type: OpenSearch, batchSize: 5000 }
opensearch {
  url: "${url}", index: "${index}", create.mappings.properties.title.type: text
  skipUnchanged: true, hashesFile: "${directory}/${index}.hashes"
}`;
}

/** Writes rows of 50 short cells. */
function writeWide(path, rows) {
  const columns = Array.from({ length: 46 }, (_, i) => `field_${i}`);
  writeRows(path, rows, ['title', ...columns], (row) => [
    `title ${row}`,
    ...columns.map((_, i) => (i % 3 === 0 ? `${(row * 31 + i * 7) % 10_007}` : `value ${(row * 17 + i) % 1009}`)),
  ]);
}

/** Writes rows with a text of 4,000 characters. */
function writeTexts(path, rows) {
  const words = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt'.split(' ');
  writeRows(path, rows, ['title', 'description'], (row) => {
    let text = '';
    for (let i = row; text.length < 4000; i = (i * 48_271 + 11) % 2_147_483_647) text += `${words[i % words.length]} `;
    return [`title ${row}`, text];
  });
}

/** Writes a CSV file with the columns that all jobs need, and others. */
function writeRows(path, rows, names, cellsOf) {
  const out = openSync(path, 'w');
  writeSync(out, `sku,${names.join(',')},price,stock,created,url\n`);
  for (let row = 0; row < rows; row += 1000) {
    const lines = Array.from({ length: 1000 }, (_, i) => {
      const n = row + i;
      return `SKU-${String(n).padStart(8, '0')},${cellsOf(n).join(',')},${n % 1000},${n % 7},2024-01-01,https://shop.example/p/${n}\n`;
    });
    writeSync(out, lines.join(''));
  }
  closeSync(out);
}

/** Copies the rows, and changes the price of some of them. */
async function changeSome(from, to) {
  const out = createWriteStream(to);
  let row = -1;
  for await (const line of createInterface({ input: createReadStream(from) })) {
    const text = row >= 0 && row % EACH === 0 ? line.replace(/,[^,]*,([^,]*,[^,]*,[^,]*)$/, `,${CHANGED},$1`) : line;
    if (!out.write(`${text}\n`)) await new Promise((resolve) => out.once('drain', resolve));
    row++;
  }
  await new Promise((resolve) => out.end(resolve));
}

function requireUnchanged(output, documents) {
  if (!output.includes(`not sent again: ${documents} documents.`)) throw new Error(output);
}

async function requireChanged(url, index, documents, changed) {
  await fetch(`${url}/${index}/_refresh`, { method: 'POST' });
  const found = await (await fetch(`${url}/${index}/_count?q=price:%22${CHANGED}%22`)).json();
  const all = await (await fetch(`${url}/${index}/_count`)).json();
  if (found.count !== changed || all.count !== documents) {
    throw new Error(`${found.count} of ${all.count} documents in OpenSearch have changed`);
  }
}
