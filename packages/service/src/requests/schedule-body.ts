import { SCHEDULE_DEFAULTS, ScheduleBodySchema, type ScheduleOverlap, type ScheduleSettings } from '../api/schedule.ts';
import { readJsonBody } from './exact-body.ts';
import { bodyCheck } from './request-validation.ts';
import { overridesOf } from './run-body.ts';

const checkBody = bodyCheck(ScheduleBodySchema);

/** The parsed body of a request that sets a schedule, with the defaults. */
export interface ScheduleBody extends ScheduleSettings {
  /** A JSON object: values by path that replace values of the config. */
  overrides: string | undefined;
}

/** Parses the body of a request that sets a schedule. Throws an `ApiError` if it is not valid. */
export function readScheduleBody(bytes: Uint8Array = new Uint8Array()): ScheduleBody {
  const body = readJsonBody(bytes, checkBody);
  return {
    cron: body.get('cron') as string,
    timezone: (body.get('timezone') as string | undefined) ?? SCHEDULE_DEFAULTS.timezone,
    enabled: (body.get('enabled') as boolean | undefined) ?? SCHEDULE_DEFAULTS.enabled,
    overlap: (body.get('overlap') as ScheduleOverlap | undefined) ?? SCHEDULE_DEFAULTS.overlap,
    catchUp: (body.get('catchUp') as boolean | undefined) ?? SCHEDULE_DEFAULTS.catchUp,
    labels: Object.fromEntries((body.get('labels') as Map<string, string> | undefined) ?? []),
    overrides: overridesOf(body),
  };
}
