import { type Counter, type Counts, INDEXER_COUNTERS, namesOf, noCounts, STAGE_COUNTERS } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import { type MetricFamily, readFamily, type Sample } from './families.ts';

type Progress = RunDetails['progress'];

/**
 * The maximum number of classes or types with separate counters. Configs can contain any number of custom classes. All
 * further classes share one counter.
 */
const MAX_NAMES = 200;
const OTHER = 'other';

type Table = Readonly<Record<string, Counter>>;

/** The counters of stages as metrics. The API has the mean time of a stage instead of its total time. */
const STAGE_METRICS = {
  ...STAGE_COUNTERS,
  seconds: {
    title: 'Time',
    unit: 'seconds',
    description: 'Time in the stage, including waiting, estimated from a sample of its calls',
  },
} as const satisfies Table;

/** The sums per component name: of the finished runs, or including the running runs. */
abstract class Totals<T extends Table, P> {
  readonly #ended = new Map<string, Counts<T>>();
  readonly #table: T;

  constructor(table: T) {
    this.#table = table;
  }

  /** Returns the sums of one run by component name. */
  protected abstract read(progress: P): Iterable<readonly [name: string, sums: Counts<T>]>;

  /** Adds the sums of a finished run. */
  add(progress: P): void {
    this.#addTo(this.#ended, progress);
  }

  /** Returns the sums including running runs. */
  with(going: Iterable<P>): Map<string, Counts<T>> {
    const all = new Map([...this.#ended].map(([name, sums]) => [name, { ...sums }]));
    for (const progress of going) this.#addTo(all, progress);
    return all;
  }

  #addTo(sums: Map<string, Counts<T>>, progress: P): void {
    for (const [name, more] of this.read(progress)) {
      const key = sums.has(name) || sums.size < MAX_NAMES ? name : OTHER;
      const sum = sums.getOrInsertComputed(key, () => noCounts(this.#table));
      for (const counter of namesOf(this.#table)) sum[counter] += more[counter];
    }
  }
}

/** The statistics of the stages of a run, as its details and the engine have them. */
interface StagesProgress {
  readonly stages: readonly (Counts<typeof STAGE_COUNTERS> & { readonly class: string; readonly meanMillis: number })[];
}

/** The sums of stages, by class. */
export class StageTotals extends Totals<typeof STAGE_METRICS, StagesProgress> {
  constructor() {
    super(STAGE_METRICS);
  }

  protected *read({ stages }: StagesProgress): Generator<[string, Counts<typeof STAGE_METRICS>]> {
    for (const { class: name, meanMillis, ...counts } of stages) {
      yield [name, { ...counts, seconds: (counts.processed * meanMillis) / 1000 }];
    }
  }
}

/** The sums of indexers, by type. */
export class IndexerTotals extends Totals<typeof INDEXER_COUNTERS, Progress> {
  constructor() {
    super(INDEXER_COUNTERS);
  }

  /**
   * Adds the sums of a finished run. If the run was ended by force, the batches that it was sending no longer count.
   */
  override add(progress: Progress): void {
    const { indexing } = progress;
    super.add(indexing === undefined ? progress : { ...progress, indexing: { ...indexing, inFlight: 0 } });
  }

  protected *read({ indexing }: Progress): Generator<[string, Counts<typeof INDEXER_COUNTERS>]> {
    if (indexing !== undefined) yield [indexing.type, indexing];
  }
}

/** A counter of stages or indexers as a metric. */
interface ComponentMetric<N extends string> {
  readonly counter: N;
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  /** The name of the label, whose value is the class or the type of the component. */
  readonly label: string;
  readonly description: string;
}

const stageMetrics = metricsOf('stage', 'class', STAGE_METRICS);
const indexerMetrics = metricsOf('indexer', 'type', INDEXER_COUNTERS);

/** The metrics of the counters of stages and indexers, for the docs. */
export const COMPONENT_METRICS: readonly Omit<ComponentMetric<string>, 'counter'>[] = [
  ...stageMetrics,
  ...indexerMetrics,
];

/** @param read returns the current sums */
export function stageFamilies(read: () => Map<string, Counts<typeof STAGE_METRICS>>): MetricFamily[] {
  return familiesOf(stageMetrics, rising(read, 'seconds'));
}

/**
 * Returns the metrics of the stages of one process.
 * @param stages returns the statistics of all its stages
 */
export function familiesOfStages(stages: () => StagesProgress['stages']): MetricFamily[] {
  const totals = new StageTotals();
  return stageFamilies(() => totals.with([{ stages: stages() }]));
}

/** @param read returns the current sums */
export function indexerFamilies(read: () => Map<string, Counts<typeof INDEXER_COUNTERS>>): MetricFamily[] {
  return familiesOf(indexerMetrics, read);
}

function metricsOf<T extends Table>(scope: string, label: string, table: T): ComponentMetric<keyof T & string>[] {
  return namesOf(table).map((counter) => {
    const { description, metric = snakeCase(counter), isGauge } = table[counter] as Counter;
    const name = `headrace_${scope}_${metric}`;
    return isGauge === true
      ? { counter, type: 'gauge', name, label, description }
      : { counter, type: 'counter', name: `${name}_total`, label, description };
  });
}

function familiesOf<N extends string>(
  metrics: readonly ComponentMetric<N>[],
  read: () => Map<string, Record<N, number>>,
): MetricFamily[] {
  return metrics.map(({ counter, type, name, label, description }) =>
    readFamily(type, name, `${description}, by ${label}.`, () => samples(label, read(), counter)),
  );
}

function* samples<N extends string>(
  label: string,
  sums: Map<string, Record<N, number>>,
  counter: N,
): Generator<Sample> {
  for (const [name, sum] of sums) yield { labels: { [label]: name }, value: sum[counter] };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Returns sums that never fall. The estimate for a running run may fall, but Prometheus treats a falling counter as a
 * restart.
 */
function rising<N extends string>(
  read: () => Map<string, Record<N, number>>,
  counter: NoInfer<N>,
): () => Map<string, Record<N, number>> {
  const highest = new Map<string, number>();
  return () => {
    const sums = read();
    for (const [name, sum] of sums) {
      const value = Math.max(sum[counter], highest.get(name) ?? 0);
      highest.set(name, value);
      sum[counter] = value as Record<N, number>[N];
    }
    return sums;
  };
}
