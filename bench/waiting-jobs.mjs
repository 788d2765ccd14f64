import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { headrace, inDirectory, runNode } from './measure.mjs';

const DOCUMENTS = 20_000;
const server = fileURLToPath(new URL('./slow-server.mjs', import.meta.url));

/** Measures a stage that waits: FetchUri with default settings. A server in another process answers after 20 ms. */
export function waitingJobs() {
  return inDirectory(async (directory) => {
    const child = spawn(process.execPath, [server, '20'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const port = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(Number(data))));
      const file = `${directory}/job.conf`;
      writeFileSync(
        file,
        `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: ${DOCUMENTS}}]
pipelines: [{name: p, stages: [
  {class: Concatenate, dest: url, formatString: "http://127.0.0.1:${port}/{id}"}
  {class: FetchUri, source: url, dest: page}
]}]
indexer { class: NopIndexer }`,
      );
      const { seconds, peak, output } = await runNode([headrace, 'run', file]);
      if (!output.includes(` ${DOCUMENTS} docs succeeded. 0 docs failed.`)) throw new Error(output);
      return [
        { job: 'FetchUri, a server of 20 ms', value: DOCUMENTS / seconds, unit: 'docs/s', peak, goal: '>= 2000' },
      ];
    } finally {
      child.kill();
    }
  });
}
