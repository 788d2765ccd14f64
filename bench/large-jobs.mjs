import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { writeManyEntries } from './archives.mjs';
import { writeCsvData } from './csv-data.mjs';
import { inDirectory, runConfig } from './measure.mjs';
import { filesJob } from './source-jobs.mjs';

const BLOCK_ROWS = 100_000;
const BLOCKS = 170;

/**
 * Checks that memory stays constant: compares a file of 5 GB and an archive of a million entries with a tenth of them.
 */
export async function largeJobs() {
  return [...(await inDirectory(largeFile)), ...(await inDirectory(manyEntries))];
}

function largeFile(directory) {
  const data = `${directory}/data.csv`;
  return tenfold(
    'a CSV file of 5 GB, Nop',
    'docs/s',
    (part) => {
      const blocks = Math.round(BLOCKS * part);
      writeCsvBlocks(data, blocks);
      return runConfig(directory, filesJob(data, 'fileHandlers { csv {} }'), blocks * BLOCK_ROWS);
    },
    BLOCKS * BLOCK_ROWS,
  );
}

/** Writes the same block repeatedly after one header. */
function writeCsvBlocks(path, blocks) {
  writeCsvData(path, BLOCK_ROWS);
  const bytes = readFileSync(path);
  const block = bytes.subarray(bytes.indexOf('\n') + 1);
  const file = openSync(path, 'a');
  for (let i = 1; i < blocks; i++) writeSync(file, block);
  closeSync(file);
}

function manyEntries(directory) {
  const count = 1_000_000;
  const archive = `${directory}/many.zip`;
  return tenfold(
    'an archive of 1,000,000 entries, Nop',
    'files/s',
    (part) => {
      writeManyEntries(archive, count * part);
      return runConfig(directory, filesJob(archive, 'fileOptions { handleArchivedFiles: true }'), count * part);
    },
    count,
  );
}

/** Measures a tenth of a job first, then the whole job. */
async function tenfold(job, unit, run, documents) {
  const tenth = await run(0.1);
  const { seconds, cpu, peak } = await run(1);
  return [
    { job, value: documents / seconds, unit, cpu, peak, goal: '< 350 MiB' },
    { job: `${job}: memory of ten times as much`, value: peak / tenth.peak, unit: 'times', goal: '<= 1.15' },
  ];
}
