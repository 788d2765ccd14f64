import { type Static, Type } from '@headrace/engine';
import { nullable } from './nullable.ts';
import { OVERLAPS } from './overlap.ts';
import { Labels, RunStateAnswer } from './run-details.ts';

/**
 * What happens at a time of a schedule if an earlier run is active: `skip` starts no run while the last run of the
 * schedule is active; the others are the `overlap` of the new run.
 */
export const SCHEDULE_OVERLAPS = ['skip', ...OVERLAPS] as const;

export type ScheduleOverlap = (typeof SCHEDULE_OVERLAPS)[number];

/** When the service starts runs of a config, and how. */
export interface ScheduleSettings {
  /** A cron expression with 5 or 6 fields. */
  cron: string;
  /** An IANA name. */
  timezone: string;
  /** False: the schedule is paused. */
  enabled: boolean;
  overlap: ScheduleOverlap;
  /** Whether to start one run for the times that passed while the service did not run. */
  catchUp: boolean;
  /** The labels of the runs. */
  labels: Readonly<Record<string, string>>;
}

export const SCHEDULE_DEFAULTS = { timezone: 'UTC', enabled: true, overlap: 'skip', catchUp: false } as const;

export const MAX_CRON_LENGTH = 200;

export const CronText = Type.String({
  maxLength: MAX_CRON_LENGTH,
  description:
    '5 fields (minute, hour, day of the month, month, day of the week), or 6 with the second first. Names (`MON`, `JAN`), `L` for the last day, `15W` for the nearest weekday and `FRI#2` for the second Friday are allowed. If both days are set, either is enough; `+` before the day of the week requires both',
});
export const TimezoneText = Type.String({
  maxLength: 100,
  description:
    'An IANA name; default UTC. When the clocks go forward, a time that does not exist runs at the change. When they go back, a time that exists twice runs once, and an hourly schedule runs in both hours',
});

const Overlaps = Type.Enum([...SCHEDULE_OVERLAPS], {
  description:
    'What to do if an earlier run is active. `skip` (default): start no run while the last run of the schedule is active. The others are the `overlap` of the new run',
});

/** The body of a request that sets a schedule. */
export const ScheduleBodySchema = Type.Object(
  {
    cron: CronText,
    timezone: Type.Optional(TimezoneText),
    enabled: Type.Optional(Type.Boolean({ description: 'False pauses the schedule; default true' })),
    overlap: Type.Optional(Overlaps),
    catchUp: Type.Optional(
      Type.Boolean({
        description:
          'If times passed while the service did not run or the machine slept, start one run for all of them, with the first as its `scheduledTime`; default false',
      }),
    ),
    labels: Type.Optional(Labels),
    overrides: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'As for a run. Needs the role admin, except for unchanged overrides as the service returned them',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A schedule in the format of the API. Times are in seconds since the epoch. */
export const ScheduleAnswer = Type.Object(
  {
    configId: Type.String(),
    configName: nullable(Type.String()),
    preset: Type.Boolean(),
    cron: Type.String(),
    timezone: Type.String(),
    enabled: Type.Boolean(),
    overlap: Overlaps,
    catchUp: Type.Boolean(),
    labels: Type.Record(Type.String(), Type.String()),
    overrides: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The overrides of the runs; secrets are masked' }),
    ),
    fixed: Type.Boolean({ description: 'Whether the service file defines the schedule, so that requests cannot' }),
    setTime: Type.Number(),
    setBy: nullable(Type.String({ description: 'The user who has set the schedule; its runs have this user' })),
    nextTimes: Type.Array(Type.Number(), { description: 'The next three times; none if the schedule is paused' }),
    lastTime: nullable(Type.Number({ description: 'The last time that has come' })),
    lastProblem: nullable(
      Type.Object(
        { code: Type.String(), message: Type.String(), hint: Type.Optional(Type.String()) },
        { description: 'Why no run was started at `lastTime`' },
      ),
    ),
    lastRun: nullable(
      Type.Object(
        {
          runId: Type.String(),
          status: RunStateAnswer,
          startTime: Type.Number(),
          endTime: nullable(Type.Number()),
        },
        { description: 'The last run that the schedule has started; null if it was deleted' },
      ),
    ),
  },
  { $id: 'Schedule', description: 'A schedule. Times are in seconds since the epoch' },
);

export type Schedule = Omit<Static<typeof ScheduleAnswer>, 'overlap' | 'lastRun'> & {
  overlap: ScheduleOverlap;
  lastRun: null | { runId: string; status: string; startTime: number; endTime: number | null };
};
