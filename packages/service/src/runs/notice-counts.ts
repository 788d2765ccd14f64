import type { Notice } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';

type NoticeCounts = NonNullable<RunDetails['progress']['notices']>;

/** Returns the number of cases of each code, over all components. */
export function noticeCounts(notices: readonly Notice[]): NoticeCounts {
  const counts = new Map<string, NoticeCounts[number]>();
  for (const { code, class: itsClass, count } of notices) {
    // A custom code may have several classes.
    counts.getOrInsertComputed(`${code} ${itsClass}`, () => ({ code, class: itsClass, count: 0 })).count += count;
  }
  return [...counts.values()];
}
