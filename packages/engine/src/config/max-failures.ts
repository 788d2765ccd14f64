import type { ObjectNode } from '@headrace/hocon';
import { place } from '../component/config-nodes.ts';
import type { ProblemList } from './check-component.ts';
import type { RunnerSettings } from './engine-blocks.ts';

/** The maximum number of documents of a run that may fail: a number of documents, or a percentage of all documents. */
export type MaxFailures = { readonly documents: number } | { readonly percent: number };

/** Reads `runner.maxFailures`. Returns undefined if it is neither a number of documents nor a percentage. */
export function readMaxFailures(value: number | string): MaxFailures | undefined {
  if (typeof value === 'number') return { documents: value };
  const percent = /^(\d{1,3}(?:\.\d+)?) ?%$/.exec(value.trim())?.[1];
  return percent === undefined || Number(percent) > 100 ? undefined : { percent: Number(percent) };
}

/** Reports an invalid value of `runner.maxFailures`. */
export function checkMaxFailures(root: ObjectNode, { maxFailures }: RunnerSettings, list: ProblemList): void {
  if (maxFailures === undefined || readMaxFailures(maxFailures) !== undefined) return;
  const runner = root.entries.get('runner');
  const node = runner?.kind === 'object' ? runner.entries.get('maxFailures') : undefined;
  list.add({
    code: 'HR_CONFIG_INVALID_VALUE',
    path: 'runner.maxFailures',
    ...place((node ?? root).origin),
    component: 'runner',
    message: `maxFailures must be a number of documents or a percentage, was "${maxFailures}"`,
    hint: 'Write 100, or "5%".',
  });
}
