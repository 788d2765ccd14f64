import { createReadStream, createWriteStream, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { writeCsvData } from './csv-data.mjs';
import { cpuSeconds, inDirectory, runConfig } from './measure.mjs';
import { withServer } from './servers.mjs';

const DOCUMENTS = 1_000_000;
/** One of this many documents changes. */
const EACH = 100;
const INDEX = 'headrace-bench-skip';

/**
 * Measures `skipUnchanged`: complete runs of 1,000,000 documents into OpenSearch without and with it, and a run in which
 * 1 % of the documents have changed.
 */
export function skipJobs() {
  return inDirectory((directory) =>
    withServer('opensearch', directory, async ({ url, pid }) => {
      const [data, changed] = [`${directory}/data.csv`, `${directory}/changed.csv`];
      writeCsvData(data, DOCUMENTS);
      await changeSome(data, changed);
      /** Runs the job. The processor time includes that of the search engine. */
      const run = async (path, more) => {
        const before = cpuSeconds(pid);
        const result = await runConfig(directory, job(path, url, more), DOCUMENTS);
        return { ...result, all: result.cpu + cpuSeconds(pid) - before };
      };
      const skip = `skipUnchanged: true, hashesFile: "${directory}/hashes"`;
      const full = await run(data, '');
      await fetch(`${url}/${INDEX}`, { method: 'DELETE' });
      const first = await run(data, skip);
      // Documents contain the path of their file.
      renameSync(changed, data);
      const second = await run(data, skip);
      requireUnchanged(second.output, DOCUMENTS - DOCUMENTS / EACH);
      await requireChanged(url);
      await fetch(`${url}/${INDEX}`, { method: 'DELETE' });
      const row = (name, { seconds, cpu, peak }) => ({
        job: `OpenSearch, ${DOCUMENTS} documents: ${name}`,
        value: DOCUMENTS / seconds,
        unit: 'docs/s',
        cpu,
        peak,
      });
      const ratioOf = (name) => Math.min(full[name], first[name]) / second[name];
      const unit = 'times';
      return [
        row('all sent', full),
        row('all sent, with skipUnchanged', first),
        row('1 % changed, with skipUnchanged', second),
        { job: 'skipUnchanged: speed compared with a complete run', value: ratioOf('seconds'), unit, goal: '>= 10' },
        { job: 'skipUnchanged: processor time of both processes, compared', value: ratioOf('all'), unit },
      ];
    }),
  );
}

function job(path, url, more) {
  return `connectors: [{ class: CSVConnector, name: csv, pipeline: p, path: "${path}", idField: sku }]
pipelines: [{ name: p, stages: [] }]
indexer { type: OpenSearch, batchSize: 5000 }
opensearch { url: "${url}", index: "${INDEX}", create.mappings.properties.title.type: text, ${more} }`;
}

/** Copies the rows, and changes the price of some of them. */
async function changeSome(from, to) {
  const out = createWriteStream(to);
  let row = -1;
  for await (const line of createInterface({ input: createReadStream(from) })) {
    const text = row >= 0 && row % EACH === 0 ? line.replace(/,[^,]*,([^,]*,[^,]*,[^,]*)$/, ',-9999999,$1') : line;
    if (!out.write(`${text}\n`)) await new Promise((resolve) => out.once('drain', resolve));
    row++;
  }
  await new Promise((resolve) => out.end(resolve));
}

function requireUnchanged(output, documents) {
  if (!output.includes(`not sent again: ${documents} documents.`)) throw new Error(output);
}

async function requireChanged(url) {
  await fetch(`${url}/${INDEX}/_refresh`, { method: 'POST' });
  const found = await (await fetch(`${url}/${INDEX}/_count?q=price:%22-9999999%22`)).json();
  const all = await (await fetch(`${url}/${INDEX}/_count`)).json();
  if (found.count !== DOCUMENTS / EACH || all.count !== DOCUMENTS) {
    throw new Error(`${found.count} of ${all.count} documents in OpenSearch have changed`);
  }
}
