import { namesOf, noDocuments, OUTCOME_COUNTERS, RUN_COUNTERS } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import { IndexerTotals, indexerFamilies, StageTotals, stageFamilies } from './component-metrics.ts';
import { CounterFamily, HistogramFamily, type MetricFamily, readFamily, type Sample } from './families.ts';
import type { Metrics } from './metrics.ts';
import { NoticeTotals } from './notice-totals.ts';

const ENDS = ['succeeded', 'failed', 'cancelled', 'interrupted'];
const RUN_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600];

const COUNTED = namesOf(RUN_COUNTERS);
const OUTCOMES = namesOf(OUTCOME_COUNTERS);

type Counted = (typeof COUNTED)[number];
type Progress = RunDetails['progress'];

/** The waiting and running runs at this moment. */
export interface RunsNow {
  running: number;
  queued: number;
  /** The details of the runs that are not done. */
  going: Iterable<RunDetails>;
}

/** The totals of the runs of a service: finished runs, and running runs so far. */
export class RunMetrics {
  readonly families: readonly MetricFamily[];
  readonly #dropwizard: Metrics;
  readonly #accepted = new CounterFamily('headrace_runs_accepted_total', 'Requested runs that were accepted.', [{}]);
  readonly #ended = new CounterFamily(
    'headrace_runs_ended_total',
    'Finished runs, by status: succeeded, failed, cancelled, interrupted.',
    ENDS.map((status) => ({ status })),
  );
  readonly #seconds = new HistogramFamily(
    'headrace_run_duration_seconds',
    'Time from the request of a run to its end, including waiting.',
    RUN_SECONDS,
    ENDS.map((status) => ({ status })),
  );
  readonly #connectors = new CounterFamily<'status'>(
    'headrace_connectors_ended_total',
    'Connectors of finished runs, by status: complete, failed, stopped, skipped.',
    ['complete', 'failed', 'stopped', 'skipped'].map((status) => ({ status })),
  );
  /** The totals of the finished runs. */
  readonly #stages = new StageTotals();
  readonly #indexers = new IndexerTotals();
  readonly #notices = new NoticeTotals();
  readonly #documents = noDocuments();
  #now: () => RunsNow = () => ({ running: 0, queued: 0, going: [] });

  constructor(dropwizard: Metrics) {
    this.#dropwizard = dropwizard;
    dropwizard.gauge('runs.running', () => this.#now().running);
    dropwizard.gauge('runs.queued', () => this.#now().queued);
    this.families = [
      this.#accepted,
      this.#ended,
      this.#seconds,
      readFamily('gauge', 'headrace_runs_running', 'Running runs.', () => this.#now().running),
      readFamily('gauge', 'headrace_runs_queued', 'Runs that wait for a free slot.', () => this.#now().queued),
      ...COUNTED.filter((counter) => !Object.hasOwn(OUTCOME_COUNTERS, counter)).map((counter) =>
        readFamily('counter', `headrace_documents_${counter}_total`, `${RUN_COUNTERS[counter].description}.`, () =>
          this.#sum(counter),
        ),
      ),
      readFamily('counter', 'headrace_documents_total', 'Finished documents, by result.', () => this.#documentEnds()),
      readFamily('gauge', 'headrace_documents_pending', 'Documents in flight.', () => this.#going('pending')),
      this.#connectors,
      readFamily('counter', 'headrace_notices_total', 'Notices of components, by code and class.', () =>
        this.#notices.with(this.#progress()),
      ),
      ...stageFamilies(() => this.#stages.with(this.#progress())),
      ...indexerFamilies(() => this.#indexers.with(this.#progress())),
    ];
  }

  /** Sets the source of the running runs. */
  watch(now: () => RunsNow): void {
    this.#now = now;
  }

  accepted(): void {
    this.#dropwizard.counter('runs.accepted').add();
    this.#accepted.add({});
  }

  /** Counts a run that is done. It must no longer be in the list of running runs. */
  ended({ status, progress, startTime, endTime, runResult }: RunDetails): void {
    const end = status.toLowerCase();
    this.#dropwizard.counter(`runs.${end}`).add();
    this.#ended.add({ status: end });
    this.#seconds.observe({ status: end }, Math.max(0, (endTime ?? startTime) - startTime));
    for (const connector of runResult?.connectors ?? []) this.#connectors.add({ status: connector.status });
    for (const field of COUNTED) this.#documents[field] += progress[field];
    this.#stages.add(progress);
    this.#indexers.add(progress);
    this.#notices.add(progress);
    for (const field of OUTCOMES) {
      this.#dropwizard.meter(`documents.${field}`).mark(progress[field]);
    }
  }

  *#progress(): Generator<Progress> {
    for (const { progress } of this.#now().going) yield progress;
  }

  #documentEnds(): Sample[] {
    return OUTCOMES.map((outcome) => ({
      labels: { outcome },
      value: this.#sum(outcome),
    }));
  }

  #sum(field: Counted): number {
    return this.#documents[field] + this.#going(field);
  }

  #going(field: Counted | 'pending'): number {
    let sum = 0;
    for (const { progress } of this.#now().going) sum += progress[field];
    return sum;
  }
}
