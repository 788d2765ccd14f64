import { NOTICES } from '@headrace/engine';
import type { Sample } from './families.ts';

/** Notices of a run. Those of several components may have the same code. */
interface Noticed {
  readonly notices?: readonly { readonly code: string; readonly class: string; readonly count: number }[];
}

/** The maximum number of custom codes with separate counters. All others share one counter for each class. */
const MAX_CUSTOM = 200;

/** The sums of notices by code and class: of the finished runs, or including the running runs. */
export class NoticeTotals {
  readonly #ended = new Map<string, Sample>();

  constructor() {
    for (const [code, { class: itsClass }] of Object.entries(NOTICES)) addTo(this.#ended, code, itsClass, 0);
  }

  /** Adds the notices of a finished run. */
  add({ notices = [] }: Noticed): void {
    for (const { code, class: itsClass, count } of notices) addTo(this.#ended, code, itsClass, count);
  }

  /** Returns the sums including running runs. */
  with(going: Iterable<Noticed>): Iterable<Sample> {
    const all = new Map(this.#ended);
    for (const { notices = [] } of going) {
      for (const { code, class: itsClass, count } of notices) addTo(all, code, itsClass, count);
    }
    return all.values();
  }
}

function addTo(sums: Map<string, Sample>, code: string, itsClass: string, count: number): void {
  const isKnown = sums.has(`${code} ${itsClass}`) || sums.size < Object.keys(NOTICES).length + MAX_CUSTOM;
  const name = isKnown ? code : 'other';
  const key = `${name} ${itsClass}`;
  sums.set(key, { labels: { code: name, class: itsClass }, value: (sums.get(key)?.value ?? 0) + count });
}
