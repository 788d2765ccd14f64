import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { csvColumns, csvJob, writeCsvData } from './csv-data.mjs';
import { headrace, inDirectory, inTurns, median, peakMemory, runNode } from './measure.mjs';

const slowIndexer = fileURLToPath(new URL('./slow-indexer.mjs', import.meta.url));

/** Checks that memory stays constant: for a file ten times as long, and with an indexer that is very slow. */
export function memoryJobs() {
  return inDirectory(async (directory) => {
    const run = (count) => {
      const data = `${directory}/data-${count}.csv`;
      writeCsvData(data, count);
      const file = `${directory}/${count}.conf`;
      writeFileSync(file, csvJob(data, 'type: CSV', csvColumns(`${directory}/out.csv`)));
      return () => runNode([headrace, 'run', file]);
    };
    const { once, tenfold } = await inTurns(3, { once: run(500_000), tenfold: run(5_000_000) });
    const peakOf = (results) => median(results.map(({ peak }) => peak));
    const row = (count, results) => ({
      job: `CSV, nine stages, CSV: ${count} rows`,
      value: count / Math.min(...results.map(({ seconds }) => seconds)),
      unit: 'docs/s',
      peak: peakOf(results),
      goal: '< 350 MiB',
    });
    const rows = [row(500_000, once), row(5_000_000, tenfold)];
    rows.push({
      job: 'memory of ten times the rows',
      value: peakOf(tenfold) / peakOf(once),
      unit: 'times',
      goal: '<= 1.15',
    });
    const file = `${directory}/slow.conf`;
    writeFileSync(file, csvJob(`${directory}/data-5000000.csv`, `class: "${slowIndexer}#SlowIndexer"`));
    const peak = await peakAfter([headrace, 'run', file], 20_000);
    rows.push({ job: 'an indexer of 1000 docs/s, after 20 s', value: peak, unit: 'MiB', peak, goal: '< 350' });
    return rows;
  });
}

/** Returns the peak memory in MiB of a program that is ended after a time. */
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
