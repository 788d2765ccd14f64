import { Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { EVENT_ID } from '../requests/text-formats.ts';
import { LOG_LEVELS, type LogQuery, logText } from '../runs/log-lines.ts';
import { DONE_ID, doneFrame, type EventPlace, placeOf } from '../runs/run-events.ts';
import { runNotFound } from '../runs/run-manager.ts';
import { EVENT_HEADERS, EventStreams } from './event-streams.ts';
import { answers, idParams, MAX_NUMBER, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

/** How long a client must wait before it connects again. */
const RETRY = 'retry: 2000\n\n';

const Events = {
  description: 'Server-Sent Events; docs/service.md says which',
  // Of each event. There is no type: to some readers of the document the answer is a text, to others a list of objects.
  content: { 'text/event-stream': { schema: Type.Unknown() } },
};

const LogLines = {
  description: 'One JSON object a line, the oldest first: line, time, level, logger, message, fields',
  content: { 'application/x-ndjson': { schema: Type.String() } },
};

/** Watching runs: their events, and their logs. */
export async function runWatchRoutes(app: FastifyInstance, { runs, settings }: ServiceParts): Promise<void> {
  const tags = ['run'];
  const streams = new EventStreams(settings.limits);
  // If any name is accepted with the shared password, names identify no user.
  const { auth } = settings;
  const hasNames = typeof auth === 'object' && (auth.users.length > 0 || auth.password === undefined);

  app.get<{ Params: { id: string }; Headers: { 'last-event-id'?: string }; Querystring: { lastEventId?: string } }>(
    '/v1/run/:id/events',
    {
      config: { access: 'reader', stream: true },
      // It would never end.
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'What happens in a run, as it happens, until it is done',
        params: idParams,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({ pattern: EVENT_ID.pattern, description: 'Continue after the event of this id' }),
          ),
        }),
        querystring: queryOf({
          lastEventId: Type.Optional(
            Type.String({ pattern: EVENT_ID.pattern, description: 'The same, for clients that cannot set the header' }),
          ),
        }),
        response: { ...answers({}, 400, 404, 429), 200: Events, 204: Type.Null({ description: 'Nothing more comes' }) },
      },
    },
    async ({ params: { id }, query, headers, user }, reply) => {
      const last = headers['last-event-id'] ?? query.lastEventId;
      const from = placeAfter(last);
      const run = runs.journals.get(id);
      // Who has an id may have missed something; everybody else hears at once that it is over.
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
      // A browser connects again when a stream has ended, unless the answer says that there is nothing more.
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
        summary: 'The log of a run, as far as it is',
        params: idParams,
        querystring: queryOf({
          level: Type.Optional(Type.Enum([...LOG_LEVELS], { description: 'This level, and what is worse' })),
          after: Type.Optional(
            Type.Integer({ minimum: 0, maximum: MAX_NUMBER, description: 'Only lines with a greater number' }),
          ),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_NUMBER, description: 'Lines at most' })),
        }),
        response: { ...answers({}, 400, 404), 200: LogLines },
      },
    },
    async ({ params: { id }, query }, reply) => {
      if ((await runs.details(id)) === undefined) throw runNotFound(id);
      const text = logText(await runs.journals.log(id), query);
      // As bytes: of a text fastify would say a charset, which JSON lines do not have.
      return reply.header('content-type', 'application/x-ndjson').send(Buffer.from(text));
    },
  );
}

function placeAfter(last: string | undefined): EventPlace | 'done' | undefined {
  return last === DONE_ID ? 'done' : placeOf(last ?? '');
}
