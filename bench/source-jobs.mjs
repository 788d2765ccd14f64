import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packFile } from './archives.mjs';
import { writeCsvData } from './csv-data.mjs';
import { fastest, inDirectory, inTurns, runConfig, runNode } from './measure.mjs';
import { openSearchJobs, postgresJobs } from './server-jobs.mjs';

const FILES = 10_000;
const FILE_BYTES = 2000;
const ROWS = 500_000;
const gunzip = fileURLToPath(new URL('./gunzip.mjs', import.meta.url));

/** Measures sources and destinations: many small files, packed files, Postgres, OpenSearch. */
export async function sourceJobs() {
  return [
    ...(await inDirectory(smallFiles)),
    ...(await inDirectory(packedFiles)),
    ...(await inDirectory(postgresJobs)),
    ...(await inDirectory(openSearchJobs)),
  ];
}

/** Returns a config that reads a path and sends the documents nowhere. */
export function filesJob(path, options = '') {
  return `connectors: [{class: FileConnector, name: files, pipeline: p, paths: ["${path}"], ${options}}]
pipelines: [{name: p, stages: []}]
indexer { class: NopIndexer }`;
}

async function smallFiles(directory) {
  const folder = `${directory}/files`;
  for (let i = 0; i < FILES; i++) {
    if (i % 100 === 0) mkdirSync(`${folder}/${i / 100}`, { recursive: true });
    writeFileSync(`${folder}/${Math.floor(i / 100)}/${i}.txt`, `file ${i} `.repeat(FILE_BYTES).slice(0, FILE_BYTES));
  }
  const { all } = await inTurns(3, { all: () => runConfig(directory, filesJob(folder), FILES) });
  const { seconds, cpu, peak } = fastest(all);
  return [{ job: '10,000 small files, Nop', value: FILES / seconds, unit: 'files/s', cpu, peak, goal: '>= 5000' }];
}

/**
 * Measures the CSV file of the throughput jobs: plain, in gzip and in zip, compared with a program that only unpacks
 * it.
 */
async function packedFiles(directory) {
  const data = `${directory}/data.csv`;
  writeCsvData(data, ROWS);
  packFile(data, 'data.csv');
  const run = (path) => () =>
    runConfig(
      directory,
      filesJob(path, 'fileHandlers { csv {} }, fileOptions { handleArchivedFiles: true, handleCompressedFiles: true }'),
      ROWS,
    );
  const results = await inTurns(3, {
    alone: () => runNode([gunzip, `${data}.gz`]),
    plain: run(data),
    gzip: run(`${data}.gz`),
    zip: run(`${data}.zip`),
  });
  const bytes = statSync(data).size;
  const alone = fastest(results.alone);
  const row = (job, { seconds, cpu, peak }, rest = {}) => ({
    job,
    value: ROWS / seconds,
    unit: 'docs/s',
    mbPerSecond: bytes / 1e6 / seconds,
    cpu,
    peak,
    ...rest,
  });
  const packed = (job, result) =>
    row(job, result, { share: alone.seconds / result.seconds, goal: 'as by hand, or as plain' });
  return [
    row('by hand: a CSV file in gzip, unpacked only', alone),
    row('a CSV file, Nop', fastest(results.plain)),
    packed('a CSV file in gzip, Nop', fastest(results.gzip)),
    packed('a CSV file in zip, Nop', fastest(results.zip)),
  ];
}
