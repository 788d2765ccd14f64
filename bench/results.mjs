import { readFileSync } from 'node:fs';

/** The usual difference between two runs on a machine with other work. */
const NOISE = 0.1;

/** Reads the rows that were saved in a file. Throws an error with a message for the user if there are none. */
export function readResults(path) {
  const text = readFileSync(path, 'utf8');
  let rows;
  try {
    rows = JSON.parse(text);
  } catch {
    // A text that is not JSON has no rows either.
  }
  if (!Array.isArray(rows) || !rows.every((row) => typeof row?.job === 'string')) {
    throw new Error(`${path} has no results in it: name a file that --save wrote`);
  }
  return rows;
}

/** Returns a table row of a result, with the changes since the previous results, if there are any. */
export function tableRow(
  { job, error, value, unit, mbPerSecond, cpu, cpuByHand, peak, byHand, share, ofTablesOff, goal },
  before,
) {
  if (error !== undefined) return { job, value: 'failed' };
  const row = {
    job,
    value: value >= 100 ? Math.round(value) : Number(value.toFixed(3)),
    unit,
    'MB/s': mbPerSecond === undefined ? '' : Math.round(mbPerSecond),
    'processor s': cpu === undefined ? '' : Number(cpu.toFixed(2)),
    'peak MiB': peak === undefined ? '' : Math.round(peak),
    'by hand': byHand === undefined ? '' : Math.round(byHand),
    'of by hand': share === undefined ? '' : `${Math.round(share * 100)} %`,
    ...(cpuByHand === undefined ? {} : { 'processor s by hand': Number(cpuByHand.toFixed(2)) }),
    ...(ofTablesOff === undefined ? {} : { 'of tables off': `${ofTablesOff.toFixed(2)} times` }),
    goal: goal ?? '',
  };
  if (before === undefined) return row;
  const earlier = before.find((each) => each.job === job && each.error === undefined);
  const change = changeOf(value, earlier?.value);
  const peakChange = changeOf(peak, earlier?.peak);
  const worse = [];
  if (change !== undefined && change * (directionOf(unit, goal) ?? 0) > NOISE) worse.push('value');
  if (peakChange > NOISE) worse.push('memory');
  return { ...row, change: percent(change), 'peak change': percent(peakChange), worse: worse.join(', ') };
}

/** Returns the jobs of the measured groups that are only in the old results, or only in the new ones. */
export function missingJobs(rows, before, groups) {
  if (before === undefined) return [];
  const missingIn = (others, { job, error }) =>
    error === undefined && !others.some((other) => other.job === job && other.error === undefined);
  const ofGroups = ({ group }) => group === undefined || groups.includes(group);
  return [
    ...before.filter((row) => ofGroups(row) && missingIn(rows, row)).map(({ job }) => `only before: ${job}`),
    ...rows.filter((row) => missingIn(before, row)).map(({ job }) => `only now: ${job}`),
  ];
}

function changeOf(now, earlier) {
  return now === undefined || !earlier ? undefined : now / earlier - 1;
}

/** Returns 1 if less is better, -1 if more is better, and undefined if neither is known. */
function directionOf(unit, goal = '') {
  // The goal may be about memory when the value is a speed.
  if (['s', 'ms', 'MiB'].includes(unit)) return 1;
  if (unit.includes('/s')) return -1;
  return goal.startsWith('<') ? 1 : goal.startsWith('>') ? -1 : undefined;
}

function percent(change) {
  return change === undefined ? '' : `${(change * 100).toFixed(1)} %`;
}
