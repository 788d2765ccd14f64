import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rate, report } from '../rate.mjs';

const folder = process.env.LIBRARIES ?? process.cwd();
const load = createRequire(join(folder, 'package.json'));

/**
 * Loads a library that Headrace does not use, for a comparison. It is no dependency of the repository: install it in a
 * folder outside, and set `LIBRARIES` to that folder.
 */
export function library(name) {
  try {
    return load(name);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    console.error(`Missing: ${name}. Run: npm install --prefix FOLDER ${name}; then set LIBRARIES=FOLDER.`);
    process.exit(1);
  }
}

/**
 * Prints both rates and their ratio. Both are measured three times, in turns, and the medians count.
 * @param measure `rate`, or `asyncRate` for work that returns promises
 */
export async function compare(what, unit, ours, theirs, factor = 1, measure = rate) {
  const rounds = [];
  for (let i = 0; i < 3; i++) rounds.push([await measure(ours, 0.5), await measure(theirs, 0.5)]);
  const [mine, other] = [0, 1].map((i) => rounds.map((round) => round[i]).sort((a, b) => a - b)[1] * factor);
  report(`${what}: ours`, mine, unit);
  report(`${what}: library`, other, unit);
  report(`${what}: ratio`, mine / other, 'times');
}

/** Prints in how many recorded cases a library has the recorded result. */
export function agreement(what, cases, isSame) {
  const same = cases.filter((one) => {
    try {
      return isSame(one);
    } catch {
      return false;
    }
  });
  console.log(`${what.padEnd(44)} ${same.length} of ${cases.length} recorded cases agree`);
}
