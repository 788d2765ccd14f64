import type { Schemas } from '@headrace/client';
import type { PreviewAnswer } from './preview-runner.svelte.ts';

type Results = PreviewAnswer['results'];

/** The time of a stage for all documents of a preview. */
export interface StageTime {
  readonly stage: string;
  readonly class: string;
  readonly documents: number;
  readonly millis: number;
}

/** Returns the names of the fields of the input documents. */
export function fieldNames(results: Results): string[] {
  const inputs = results.flatMap(({ input }) => (typeof input === 'string' ? [] : Object.keys(input)));
  return [...new Set(inputs)];
}

/** Returns the time of each stage, in the order of the pipeline. Documents that stages emitted count too. */
export function timesOf(results: Results): StageTime[] {
  const times = new Map<string, StageTime>();
  for (const { trace = [] } of results) addTimes(trace, times);
  return [...times.values()];
}

function addTimes(trace: readonly Schemas['StageTrace'][], times: Map<string, StageTime>): void {
  for (const { stage, class: name, millis, children = [] } of trace) {
    const known = times.get(stage) ?? { stage, class: name, documents: 0, millis: 0 };
    const called = millis === undefined ? 0 : 1;
    times.set(stage, { ...known, documents: known.documents + called, millis: known.millis + (millis ?? 0) });
    for (const child of children) addTimes(child.trace, times);
  }
}
