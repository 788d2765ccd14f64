import { Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { EVENT_ID } from '../requests/text-formats.ts';
import { LOG_LEVELS, type LogQuery, logText } from '../runs/log-lines.ts';
import { DONE_ID, doneFrame, type EventPlace, placeOf } from '../runs/run-events.ts';
import { runNotFound } from '../runs/run-manager.ts';
import { RunSamplesAnswer } from '../runs/run-samples.ts';
import { EVENT_HEADERS, EventStreams } from './event-streams.ts';
import { sendJson } from './json.ts';
import { answers, idParams, MAX_NUMBER, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

/** The field `retry` of a stream: how long a client must wait before it connects again. */
const RETRY = 'retry: 2000\n\n';

const Events = {
  description: 'Server-Sent Events; docs/service.md describes them',
  // The schema has no type: some tools treat the answer as a text, others as a list of objects.
  content: { 'text/event-stream': { schema: Type.Unknown() } },
};

const LogLines = {
  description: 'One JSON object per line, oldest first: line, time, level, logger, message, fields',
  content: { 'application/x-ndjson': { schema: Type.String() } },
};

/** The routes that return the events and the log of a run. */
export async function runWatchRoutes(app: FastifyInstance, { runs, settings }: ServiceParts): Promise<void> {
  const tags = ['run'];
  const streams = new EventStreams(settings.limits);
  // If any user name is accepted with the shared password, names do not identify users.
  const { auth } = settings;
  const hasNames = typeof auth === 'object' && (auth.users.length > 0 || auth.password === undefined);

  app.get<{ Params: { id: string }; Headers: { 'last-event-id'?: string }; Querystring: { lastEventId?: string } }>(
    '/v1/run/:id/events',
    {
      config: { access: 'reader', stream: true },
      // A HEAD request would never end.
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'The events of a run, streamed until it is done',
        params: idParams,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({ pattern: EVENT_ID.pattern, description: 'Continue after the event with this id' }),
          ),
        }),
        querystring: queryOf({
          lastEventId: Type.Optional(
            Type.String({ pattern: EVENT_ID.pattern, description: 'The same, for clients that cannot set the header' }),
          ),
        }),
        response: {
          ...answers({}, 400, 404, 429),
          200: Events,
          204: Type.Null({ description: 'There are no more events' }),
        },
      },
    },
    async ({ params: { id }, query, headers, user }, reply) => {
      const last = headers['last-event-id'] ?? query.lastEventId;
      const from = placeAfter(last);
      const run = runs.journals.get(id);
      // A client with an event id may have missed events. All other clients of a finished run only get its end.
      if (run !== undefined && from !== 'done' && (from !== undefined || !run.events.ended)) {
        const owner = hasNames ? (user ?? '') : '';
        streams.admit(owner, run);
        reply.hijack();
        const headers = { ...reply.getHeaders(), ...EVENT_HEADERS } as Record<string, string>;
        reply.raw.writeHead(200, headers);
        reply.raw.write(RETRY);
        streams.send(reply.raw, owner, run, from);
        return;
      }
      const details = await runs.details(id);
      if (details === undefined) throw runNotFound(id);
      // Browsers reconnect when a stream ends. Status 204 stops them.
      if (from === 'done') return reply.code(204).send();
      return reply.headers(EVENT_HEADERS).send(doneFrame(details));
    },
  );

  app.get<{ Params: { id: string }; Querystring: LogQuery }>(
    '/v1/run/:id/log',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The log of a run so far',
        params: idParams,
        querystring: queryOf({
          level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: 'This level and more severe ones' })),
          after: Type.Optional(
            Type.Integer({ minimum: 0, maximum: MAX_NUMBER, description: 'Only lines with a greater number' }),
          ),
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_NUMBER, description: 'The maximum number of lines' }),
          ),
        }),
        response: { ...answers({}, 400, 404), 200: LogLines },
      },
    },
    async ({ params: { id }, query }, reply) => {
      if ((await runs.details(id)) === undefined) throw runNotFound(id);
      const text = logText(await runs.journals.log(id), query);
      // Send bytes: fastify would add a charset to a text, which JSON lines do not have.
      return reply.header('content-type', 'application/x-ndjson').send(Buffer.from(text));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/run/:id/samples',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The counts of a run over time, about one sample per second, at most 301; fewer for a long run',
        params: idParams,
        response: answers({ 200: RunSamplesAnswer }, 400, 404),
      },
    },
    async ({ params: { id } }, reply) => {
      if ((await runs.details(id)) === undefined) throw runNotFound(id);
      // Runs of older releases have no samples.
      return sendJson(reply, (await runs.samples(id)) ?? '{"items":[]}');
    },
  );
}

function placeAfter(last: string | undefined): EventPlace | 'done' | undefined {
  return last === DONE_ID ? 'done' : placeOf(last ?? '');
}
