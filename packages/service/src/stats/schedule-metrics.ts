import { CounterFamily, type MetricFamily, readFamily } from './families.ts';

const OUTCOMES = ['started', 'skipped', 'missed', 'failed'] as const;

/** What happened at a time of a schedule. */
export type ScheduleOutcome = (typeof OUTCOMES)[number];

/** The metrics of the schedules. */
export class ScheduleMetrics {
  readonly families: readonly MetricFamily[];
  readonly #times = new CounterFamily<'outcome'>(
    'headrace_schedule_times_total',
    'Times of schedules that have come, by outcome: started, skipped, missed, failed.',
    OUTCOMES.map((outcome) => ({ outcome })),
  );
  #now: () => { enabled: number; paused: number } = () => ({ enabled: 0, paused: 0 });

  constructor() {
    this.families = [
      readFamily('gauge', 'headrace_schedules', 'Schedules of configs, by state: enabled, paused.', () =>
        Object.entries(this.#now()).map(([state, value]) => ({ labels: { state }, value })),
      ),
      this.#times,
    ];
  }

  /** Sets the source of the number of schedules. */
  watch(now: () => { enabled: number; paused: number }): void {
    this.#now = now;
  }

  due(outcome: ScheduleOutcome): void {
    this.#times.add({ outcome });
  }
}
