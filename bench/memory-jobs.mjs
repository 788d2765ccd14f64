import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { csvColumns, csvJob, writeCsvData } from './csv-data.mjs';
import { headrace, inDirectory, peakMemory, runNode } from './measure.mjs';

const slowIndexer = fileURLToPath(new URL('./slow-indexer.mjs', import.meta.url));

/** Whether memory stays where it is: for a file ten times as long, and where the indexer holds everything up. */
export function memoryJobs() {
  return inDirectory(async (directory) => {
    const rows = [];
    const peaks = [];
    for (const count of [500_000, 5_000_000]) {
      const data = `${directory}/data-${count}.csv`;
      writeCsvData(data, count);
      const file = `${directory}/job.conf`;
      writeFileSync(file, csvJob(data, 'type: CSV', csvColumns(`${directory}/out.csv`)));
      const { peak, seconds } = await runNode([headrace, 'run', file]);
      peaks.push(peak);
      rows.push({
        job: `CSV, nine stages, CSV: ${count} rows`,
        value: count / seconds,
        unit: 'docs/s',
        peak,
        goal: '< 350 MiB',
      });
    }
    rows.push({ job: 'memory of ten times the rows', value: peaks[1] / peaks[0], unit: 'times', goal: '<= 1.15' });
    const file = `${directory}/slow.conf`;
    writeFileSync(file, csvJob(`${directory}/data-5000000.csv`, `class: "${slowIndexer}#SlowIndexer"`));
    const peak = await peakAfter([headrace, 'run', file], 20_000);
    rows.push({ job: 'an indexer of 1000 docs/s, after 20 s', value: peak, unit: 'MiB', peak, goal: '< 350' });
    return rows;
  });
}

/** Peak memory of a program that is ended after a time, in MiB. */
function peakAfter(args, millis) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended by itself with ${code}`)));
    setTimeout(() => {
      resolve(peakMemory(child.pid));
      child.removeAllListeners('exit');
      child.kill('SIGKILL');
    }, millis);
  });
}
