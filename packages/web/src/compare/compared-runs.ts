import { namesOf, RUN_COUNTERS } from '@headrace/engine/counters';
import type { FailureGroup, RunDetails } from '../api/types.ts';
import { exact, rounded } from '../format/numbers.ts';
import { duration, millis } from '../format/times.ts';

/** A row of two values and their difference. An undefined value is one that the run does not have. */
export interface ComparedRow {
  readonly name: string;
  readonly detail: string;
  readonly a: string;
  readonly b: string;
  /** How much the second value differs, such as `+12 %`. Empty if they are equal, or one is missing. */
  readonly difference: string;
}

/** Returns the numbers of two runs. */
export function comparedNumbers(a: RunDetails, b: RunDetails): ComparedRow[] {
  return [
    row('Duration', '', secondsOf(a), secondsOf(b), duration),
    row('Documents per second', 'average', a.progress.docsPerSecond, b.progress.docsPerSecond, rounded),
    ...namesOf(RUN_COUNTERS).map((name) =>
      row(RUN_COUNTERS[name].title, '', a.progress[name], b.progress[name], exact),
    ),
  ];
}

/** Returns the mean time per document of the stages of two runs, in the order of the second run. */
export function comparedStages(a: RunDetails, b: RunDetails): ComparedRow[] {
  const old = new Map(a.progress.stages.map((stage) => [keyOf(stage), stage]));
  const now = new Map(b.progress.stages.map((stage) => [keyOf(stage), stage]));
  return [...new Set([...now.keys(), ...old.keys()])].map((key) => {
    const [left, right] = [old.get(key), now.get(key)];
    const stage = (right ?? left) as Stage;
    const detail = `${stage.class} in ${stage.pipeline}`;
    return row(stage.stage, detail, meanOf(left), meanOf(right), millis);
  });
}

/** Returns the reasons for failures of two runs, the most frequent of the second run first. */
export function comparedFailures(a: readonly FailureGroup[], b: readonly FailureGroup[]): ComparedRow[] {
  const old = new Map(a.map((group) => [group.group, group]));
  const now = new Map(b.map((group) => [group.group, group]));
  return [...new Set([...now.keys(), ...old.keys()])].map((key) => {
    const [left, right] = [old.get(key), now.get(key)];
    const { example } = (right ?? left) as FailureGroup;
    return row(example.message, `at ${example.at}`, left?.count ?? 0, right?.count ?? 0, exact);
  });
}

type Stage = RunDetails['progress']['stages'][number];

function keyOf({ connector, pipeline, stage }: Stage): string {
  return [connector, pipeline, stage].join('/');
}

function meanOf(stage: Stage | undefined): number | undefined {
  return stage === undefined || stage.processed === 0 ? undefined : stage.meanMillis;
}

function secondsOf({ startTime, endTime }: RunDetails): number | undefined {
  return endTime === null ? undefined : endTime - startTime;
}

function row(
  name: string,
  detail: string,
  a: number | undefined,
  b: number | undefined,
  show: (value: number) => string,
): ComparedRow {
  const text = (value: number | undefined) => (value === undefined ? '' : show(value));
  return { name, detail, a: text(a), b: text(b), difference: differenceOf(a, b) };
}

function differenceOf(a: number | undefined, b: number | undefined): string {
  if (a === undefined || b === undefined || a === b) return '';
  const sign = b > a ? '+' : '−';
  if (a === 0) return 'new';
  if (b === 0) return 'gone';
  const share = Math.abs(b - a) / a;
  if (share < 0.01) return '';
  return share >= 10 ? `${sign}${rounded(Math.round(b / a))}×` : `${sign}${Math.round(share * 100)} %`;
}
