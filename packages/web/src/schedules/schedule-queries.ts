import type { Input } from '@headrace/client';
import { ApiError } from '@headrace/client';
import { queryOptions } from '@tanstack/svelte-query';
import { queryClient } from '../api/query-client.ts';
import { session } from '../api/session.svelte.ts';
import type { Schedule } from './schedule.ts';

const LIVE_MILLIS = 5_000;

/** The settings of a schedule, as a request sends them. */
export type ScheduleSettings = NonNullable<Input<'PUT /v1/config/{id}/schedule'>['body']>;

/** The schedules that are due next. Paused ones come last. */
export function nextSchedulesQuery(limit: number) {
  return queryOptions({
    queryKey: ['schedules', 'next', limit],
    queryFn: async ({ signal }): Promise<readonly Schedule[]> =>
      (await session.client.call('GET /v1/schedule', { query: { limit }, signal })).items,
    refetchInterval: LIVE_MILLIS,
  });
}

/** The schedule of a config, or null if it has none. */
export function scheduleQuery(id: string) {
  return queryOptions({
    queryKey: ['schedules', 'config', id],
    queryFn: async ({ signal }): Promise<Schedule | null> => {
      try {
        return await session.client.call('GET /v1/config/{id}/schedule', { path: { id }, signal });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'HR_SCHEDULE_NOT_FOUND') return null;
        throw error;
      }
    },
    refetchInterval: LIVE_MILLIS,
  });
}

/** The next times of an expression that is not stored. */
export function timesQuery(cron: string, timezone: string) {
  return queryOptions({
    queryKey: ['schedules', 'times', cron, timezone],
    queryFn: ({ signal }) => session.client.call('GET /v1/schedule/times', { query: { cron, timezone }, signal }),
    refetchInterval: LIVE_MILLIS,
  });
}

export async function saveSchedule(id: string, body: ScheduleSettings): Promise<void> {
  await session.client.call('PUT /v1/config/{id}/schedule', { path: { id }, body });
  await reload();
}

export async function removeSchedule(id: string): Promise<void> {
  await session.client.call('DELETE /v1/config/{id}/schedule', { path: { id } });
  await reload();
}

async function reload(): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: ['configs'] });
  await queryClient.invalidateQueries({ queryKey: ['schedules'] });
}
