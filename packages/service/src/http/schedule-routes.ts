import { Type } from '@headrace/engine';
import { CronText, SCHEDULE_DEFAULTS, ScheduleBodySchema, TimezoneText } from '../api/schedule.ts';
import { readScheduleBody } from '../requests/schedule-body.ts';
import { SCHEDULE_CURSOR } from '../requests/text-formats.ts';
import { requireRole } from './access.ts';
import { sendJson } from './json.ts';
import { acceptRawBodies } from './raw-bodies.ts';
import { answers, configParams, DEFAULT_PAGE, Nothing, pageOf, pageQueryOf, queryOf } from './route-schemas.ts';
import { ownBody, type ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const Schedule = Type.Ref('Schedule');

/** The routes that set, show, list and remove the schedules of configs. */
export async function scheduleRoutes(app: ServiceApp, { schedules }: ServiceParts): Promise<void> {
  const tags = ['schedule'];
  acceptRawBodies(app, 'application/json');

  app.put(
    '/v1/config/:id/schedule',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Set when runs of a config start, and replace its old schedule',
        description:
          'An expression that is not valid, is never due, or is due more often than `limits.minScheduleSeconds` is refused. A schedule of the service file cannot be changed: the answer is 409.',
        params: configParams,
        body: ownBody<Buffer>(ScheduleBodySchema),
        response: answers({ 200: Schedule, 201: Schedule }, 400, 403, 404, 409, 413, 415),
      },
    },
    async (request, reply) => {
      const body = readScheduleBody(request.body);
      const mayOverride = () => requireRole(request, 'admin');
      const { schedule, created } = await schedules.set(request.params.id, body, { setBy: request.user, mayOverride });
      return sendJson(reply.code(created ? 201 : 200), JSON.stringify(schedule));
    },
  );

  app.get(
    '/v1/config/:id/schedule',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The schedule of a config, with its next times and its last run',
        params: configParams,
        response: answers({ 200: Schedule }, 404),
      },
    },
    async ({ params: { id } }, reply) => sendJson(reply, JSON.stringify(await schedules.get(id))),
  );

  app.delete(
    '/v1/config/:id/schedule',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Remove the schedule of a config; its active runs continue',
        params: configParams,
        response: answers({ 200: Nothing }, 404, 409),
      },
    },
    async ({ params: { id } }, reply) => {
      await schedules.delete(id);
      return reply.send();
    },
  );

  app.get(
    '/v1/schedule',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'All schedules, in pages: the next one first, paused ones last',
        querystring: queryOf(pageQueryOf(SCHEDULE_CURSOR.pattern)),
        response: answers({ 200: pageOf(Schedule) }, 400),
      },
    },
    async ({ query: { limit = DEFAULT_PAGE, after } }, reply) =>
      sendJson(reply, JSON.stringify(await schedules.list(after, limit))),
  );

  app.get(
    '/v1/schedule/times',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The next three times of a cron expression; checks it like a schedule',
        querystring: queryOf({ cron: CronText, timezone: Type.Optional(TimezoneText) }),
        response: answers({ 200: Type.Object({ nextTimes: Type.Array(Type.Number()) }) }, 400),
      },
    },
    async ({ query: { cron, timezone = SCHEDULE_DEFAULTS.timezone } }, reply) =>
      sendJson(reply, JSON.stringify({ nextTimes: schedules.nextTimes({ cron, timezone }) })),
  );
}
