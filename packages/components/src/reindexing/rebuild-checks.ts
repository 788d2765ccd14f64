import { type CheckResult, messageOf } from '@headrace/engine';
import { checkLosses } from './lost-data.ts';
import type { Checks, FinishedRun, Json, SavedQuery } from './types.ts';

/** How many hits of a saved query count. */
const HITS = 10;

/** A new index or collection, with all documents visible. */
interface CheckedOutput {
  /** The word for it in messages, such as `index`. */
  readonly what: string;
  readonly checks: Checks;
  readonly run: FinishedRun;
  count(): Promise<number>;
  /** Returns the number of documents of the live output; undefined if there is none. */
  countLive(): Promise<number | undefined>;
  /** Returns the number of documents that have a field, or why it cannot be known. */
  countWith(field: string): Promise<number | { readonly because: string }>;
  /** Returns the ids of the first hits. */
  search(query: Json, size: number): Promise<string[]>;
}

/** Runs the checks of a new output. */
export async function runChecks(checked: CheckedOutput): Promise<CheckResult[]> {
  const { checks, run, what } = checked;
  const count = await checked.count();
  const results = await checkCounts(checks, count, what, () => checked.countLive());
  results.push(...checkLosses(run, checks.allowNotices));
  if (checks.maxFailed !== undefined) {
    const passed = run.failed <= checks.maxFailed;
    results.push({ name: 'maxFailed', ...asResult(passed, `${run.failed} failed`, `at most ${checks.maxFailed}`) });
  }
  for (const [field, percent] of checks.required ?? []) results.push(await checkField(checked, count, field, percent));
  for (const [i, query] of (checks.queries ?? []).entries()) results.push(...(await checkQuery(checked, i, query)));
  return results;
}

/**
 * Checks the number of documents.
 * @param what the output, such as `index`
 * @param countLive returns the number of documents of the live output; undefined if there is none
 */
export async function checkCounts(
  checks: Checks,
  count: number,
  what: string,
  countLive: () => Promise<number | undefined>,
): Promise<CheckResult[]> {
  const { min = 1, max, maxFewerPercent, maxMorePercent } = checks.documents ?? {};
  const results: CheckResult[] = [];
  const expect = (passed: boolean, expected: string) =>
    results.push({ name: 'documents', ...asResult(passed, `${count} in the new ${what}`, expected) });
  expect(count >= min, `at least ${min}`);
  if (max !== undefined) expect(count <= max, `at most ${max}`);
  if (maxFewerPercent === undefined && maxMorePercent === undefined) return results;
  const live = await countLive();
  const compare = (percent: number | undefined, word: 'fewer' | 'more') => {
    if (percent === undefined) return;
    if (live === undefined) {
      const found = `there is no live ${what} to compare with`;
      const expected = `at most ${percent} % ${word} than in the live ${what}`;
      results.push({ name: 'documents', outcome: 'not run', found, expected });
      return;
    }
    // Divided last: 70 % of 10 must be exactly 7.
    const limit = (live * (100 + (word === 'more' ? percent : -percent))) / 100;
    const passed = word === 'more' ? count <= limit : count >= limit;
    expect(passed, `at most ${percent} % ${word} than the ${live} in the live ${what}`);
  };
  compare(maxFewerPercent, 'fewer');
  compare(maxMorePercent, 'more');
  return results;
}

async function checkField(checked: CheckedOutput, count: number, field: string, percent: number): Promise<CheckResult> {
  const filled = await checked.countWith(field);
  if (typeof filled !== 'number') {
    // The alias must not move to an index that may not fulfil the check.
    return {
      name: `required ${field}`,
      ...asResult(false, `cannot be checked: ${filled.because}`, `at least ${percent} %`),
    };
  }
  const found = count === 0 ? 0 : (filled * 100) / count;
  // Rounded down, because 99.99 % must not look like 100 %.
  const shown = Math.floor(found * 100) / 100;
  return {
    name: `required ${field}`,
    ...asResult(found >= percent, `${shown} % of the documents have it`, `at least ${percent} %`),
  };
}

async function checkQuery(
  checked: CheckedOutput,
  position: number,
  { name = `${position + 1}`, query, expected, minNdcg, minMrr }: SavedQuery,
): Promise<CheckResult[]> {
  let hits: string[];
  try {
    hits = await checked.search(query, HITS);
  } catch (error) {
    // The results of the other checks are still worth knowing.
    const found = `the search failed: ${messageOf(error)}`;
    return [{ name: `query ${name}`, outcome: 'failed', found, expected: 'a query that the search engine accepts' }];
  }
  const missing = expected.filter((id) => !hits.includes(id)).slice(0, HITS);
  const absent = missing.length === 0 ? '' : `; expected but not among them: ${missing.join(', ')}`;
  const results: CheckResult[] = [];
  const measure = (label: string, value: number, least: number | undefined) => {
    if (least === undefined) return;
    const found = `${label} is ${Math.floor(value * 1000) / 1000} (hits: ${hits.join(', ') || 'none'}${absent})`;
    results.push({ name: `query ${name}`, ...asResult(value >= least, found, `at least ${least}`) });
  };
  measure(`nDCG@${HITS}`, ndcg(hits, new Set(expected)), minNdcg);
  measure('MRR', reciprocalRank(hits, new Set(expected)), minMrr);
  return results;
}

/** Returns the result of a check without its name. */
export function asResult(passed: boolean, found: string, expected: string): Omit<CheckResult, 'name'> {
  return { outcome: passed ? 'passed' : 'failed', found, expected };
}

/** Returns the normalized discounted cumulative gain: 1 if all expected documents are at the top, 0 if none is found. */
export function ndcg(hits: readonly string[], expected: ReadonlySet<string>): number {
  const gain = (position: number) => 1 / Math.log2(position + 2);
  const found = hits.reduce((sum, id, i) => sum + (expected.has(id) ? gain(i) : 0), 0);
  const best = Array.from({ length: Math.min(expected.size, HITS) }, (_, i) => gain(i)).reduce(
    (sum, one) => sum + one,
    0,
  );
  return found / best;
}

/** Returns 1 divided by the position of the first expected document, or 0 if none is found. */
export function reciprocalRank(hits: readonly string[], expected: ReadonlySet<string>): number {
  const first = hits.findIndex((id) => expected.has(id));
  return first < 0 ? 0 : 1 / (first + 1);
}
