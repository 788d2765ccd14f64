import type { RunDetails } from '../api/run-details.ts';
import { type MetricFamily, readFamily, type Sample } from './families.ts';

type Progress = RunDetails['progress'];

/**
 * The maximum number of classes or types with separate counters. Configs can contain any number of custom classes. All
 * further classes share one counter.
 */
const MAX_NAMES = 200;
const OTHER = 'other';

type Sums<F extends string> = Record<F, number>;

/** The sums per component name: of the finished runs, or including the running runs. */
abstract class Totals<F extends string> {
  readonly #ended = new Map<string, Sums<F>>();
  readonly #fields: readonly F[];

  constructor(fields: readonly F[]) {
    this.#fields = fields;
  }

  /** Returns the sums of one run by component name. */
  protected abstract read(progress: Progress): Iterable<readonly [name: string, sums: Sums<F>]>;

  /** Adds the sums of a finished run. */
  add(progress: Progress): void {
    this.#addTo(this.#ended, progress);
  }

  /** Returns the sums including running runs. */
  with(going: Iterable<Progress>): Map<string, Sums<F>> {
    const all = new Map([...this.#ended].map(([name, sums]) => [name, { ...sums }]));
    for (const progress of going) this.#addTo(all, progress);
    return all;
  }

  #addTo(sums: Map<string, Sums<F>>, progress: Progress): void {
    for (const [name, more] of this.read(progress)) {
      const key = sums.has(name) || sums.size < MAX_NAMES ? name : OTHER;
      const sum = sums.getOrInsertComputed(key, () => this.#nothing());
      for (const field of this.#fields) sum[field] += more[field];
    }
  }

  #nothing(): Sums<F> {
    return Object.fromEntries(this.#fields.map((field) => [field, 0])) as Sums<F>;
  }
}

type StageField = 'processed' | 'failed' | 'children' | 'seconds';

/** The sums of stages, by class. */
export class StageTotals extends Totals<StageField> {
  constructor() {
    super(['processed', 'failed', 'children', 'seconds']);
  }

  protected *read({ stages }: Progress): Generator<[string, Sums<StageField>]> {
    for (const { class: name, processed, failed, children, meanMillis } of stages) {
      yield [name, { processed, failed, children, seconds: (processed * meanMillis) / 1000 }];
    }
  }
}

type IndexerField = 'batches' | 'inFlight' | 'documents' | 'failed' | 'retries' | 'unchanged' | 'seconds';

/** The sums of indexers, by type. */
export class IndexerTotals extends Totals<IndexerField> {
  constructor() {
    super(['batches', 'inFlight', 'documents', 'failed', 'retries', 'unchanged', 'seconds']);
  }

  /**
   * Adds the sums of a finished run. If the run was ended by force, the batches that it was sending no longer count.
   */
  override add(progress: Progress): void {
    const { indexing } = progress;
    super.add(indexing === undefined ? progress : { ...progress, indexing: { ...indexing, inFlight: 0 } });
  }

  protected *read({ indexing }: Progress): Generator<[string, Sums<IndexerField>]> {
    if (indexing !== undefined) yield [indexing.type, indexing];
  }
}

/** @param read returns the current sums */
export function stageFamilies(read: () => Map<string, Sums<StageField>>): MetricFamily[] {
  const seconds = rising(() => read(), 'seconds');
  return [
    family('counter', 'headrace_stage_documents_total', 'Documents that stages were called with, by class.', () =>
      samples('class', read(), 'processed'),
    ),
    family('counter', 'headrace_stage_failures_total', 'Documents that failed in stages, by class.', () =>
      samples('class', read(), 'failed'),
    ),
    family('counter', 'headrace_stage_children_total', 'Children that stages emitted, by class.', () =>
      samples('class', read(), 'children'),
    ),
    family(
      'counter',
      'headrace_stage_seconds_total',
      'Time that stages took, including waiting, by class; estimated from a sample of their calls.',
      () => samples('class', seconds(), 'seconds'),
    ),
  ];
}

/** @param read returns the current sums */
export function indexerFamilies(read: () => Map<string, Sums<IndexerField>>): MetricFamily[] {
  const counter = (name: string, help: string, field: IndexerField) =>
    family('counter', `headrace_indexer_${name}_total`, help, () => samples('type', read(), field));
  return [
    counter('batches', 'Batches that indexers have sent, by type.', 'batches'),
    counter('documents', 'Documents in these batches, including failed ones.', 'documents'),
    counter('failures', 'Documents in these batches that failed.', 'failed'),
    counter('retries', 'Documents that were sent again, counted each time.', 'retries'),
    counter('unchanged', 'Documents that were not sent, because the destination has them.', 'unchanged'),
    counter('seconds', 'Total time of sending, summed over the batches.', 'seconds'),
    family('gauge', 'headrace_indexer_batches_in_flight', 'Batches being sent.', () =>
      samples('type', read(), 'inFlight'),
    ),
  ];
}

const family = readFamily;

function* samples<F extends string>(label: string, sums: Map<string, Sums<F>>, field: F): Generator<Sample> {
  for (const [name, sum] of sums) yield { labels: { [label]: name }, value: sum[field] };
}

/**
 * Returns sums that never fall. The estimate for a running run may fall, but Prometheus treats a falling counter as a
 * restart.
 */
function rising<F extends string>(read: () => Map<string, Sums<F>>, field: F): () => Map<string, Sums<F>> {
  const highest = new Map<string, number>();
  return () => {
    const sums = read();
    for (const [name, sum] of sums) {
      const value = Math.max(sum[field], highest.get(name) ?? 0);
      highest.set(name, value);
      sum[field] = value as Sums<F>[F];
    }
    return sums;
  };
}
