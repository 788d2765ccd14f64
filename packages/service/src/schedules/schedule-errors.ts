import { ApiError } from '../errors/api-error.ts';

/** Why a time of a schedule started no run. */
export interface ScheduleProblem {
  code: string;
  message: string;
  hint?: string;
}

export function scheduleNotFound(key: string): ApiError {
  return new ApiError('HR_SCHEDULE_NOT_FOUND', `The config ${key} has no schedule`, {
    hint: `Set one with PUT /v1/config/${key}/schedule; GET /v1/schedule lists all.`,
  });
}

export function scheduleIsFixed(key: string): ApiError {
  return new ApiError('HR_SCHEDULE_IS_FIXED', `The service file defines the schedule of ${key}`, {
    hint: 'Change schedules in the service file, and restart the service.',
  });
}

/** Returns the problem of a start that failed, in the format of the API. */
export function problemOf(error: unknown): ScheduleProblem {
  if (error instanceof ApiError) {
    const { code, message, hint } = error;
    return { code, message, ...(hint === undefined ? {} : { hint }) };
  }
  return { code: 'HR_SERVER_ERROR', message: error instanceof Error ? error.message : String(error) };
}
