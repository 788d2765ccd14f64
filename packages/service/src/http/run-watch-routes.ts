import { namesOf, RUN_COUNTERS, Type } from '@headrace/engine';
import { EVENT_ID } from '../requests/text-formats.ts';
import { LOG_LEVELS, logText } from '../runs/log-lines.ts';
import { DONE_ID, doneFrame, type EventPlace, placeOf } from '../runs/run-events.ts';
import { runNotFound } from '../runs/run-manager.ts';
import { RunSamplesAnswer } from '../runs/run-samples.ts';
import { EVENT_HEADERS, EventStreams } from './event-streams.ts';
import { sendJson } from './json.ts';
import { answers, MAX_NUMBER, paragraphs, queryOf, runParams } from './route-schemas.ts';
import type { ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

/** The field `retry` of a stream: how long a client must wait before it connects again. */
const RETRY = 'retry: 2000\n\n';

const Events = {
  description: paragraphs(
    'Server-Sent Events. Each has a name, an id, and data in JSON:',
    [
      '- `queued`: `{position}`, while the run waits',
      '- `progress`: the `status` and the `progress` of the details; at most twice a second, and only if something has changed',
      `- \`connector\`: \`{name, status, ${namesOf(RUN_COUNTERS).join(', ')}, seconds}\` of a connector that has started (\`running\`) or ended`,
      '- `failure`: `{id, connector, at, code, message, hint?, status?}` of a document that failed; `at` is the stage, `indexer` or `connector`; the first 1000',
      '- `log`: a line of the log',
      '- `gap`: `{missed}`: the number of events that are no longer kept, or that a slow client missed. A run keeps its last 1000, at most 256 KiB; the log has more',
      '- `done`: the details of the run; the stream ends',
    ].join('\n'),
  ),
  // The schema has no type: some tools treat the answer as a text, others as a list of objects.
  content: { 'text/event-stream': { schema: Type.Unknown() } },
};

const LogLines = {
  description: 'One JSON object per line, oldest first: `line`, `time`, `level`, `logger`, `message`, `fields`',
  content: { 'application/x-ndjson': { schema: Type.String() } },
};

/** The routes that return the events and the log of a run. */
export async function runWatchRoutes(app: ServiceApp, { runs, settings }: ServiceParts): Promise<void> {
  const tags = ['run'];
  const streams = new EventStreams(settings.limits);
  // If any user name is accepted with the shared password, names do not identify users.
  const { auth } = settings;
  const hasNames = typeof auth === 'object' && (auth.users.length > 0 || auth.password === undefined);

  app.get(
    '/v1/run/:id/events',
    {
      config: { access: 'reader', stream: true },
      // A HEAD request would never end.
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'The events of a run, streamed until it is done',
        description: paragraphs(
          'For a finished run, the stream has only the last event. After a lost connection, send the id of the last event, and the stream continues after it. After the event `done` the answer is 204. The id 0 returns all events that are kept, also for a run that has just ended.',
          'A user may have `limits.maxStreamsPerUser` open streams, a run `limits.maxStreamsPerRun`; beyond that the answer is 429. Without users, or with a shared password, the first limit counts all clients together. A comment every 15 seconds stops proxies from closing a stream. A client that reads nothing for a minute is disconnected.',
        ),
        params: runParams,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({
              pattern: EVENT_ID.pattern,
              description: 'Continue after the event with this id; browsers send it automatically',
            }),
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

  app.get(
    '/v1/run/:id/log',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The log of a run so far',
        description:
          'The messages of the connectors, stages and indexers, from the level `info` on; secrets of the config are `******`. The last 10,000 lines are kept as long as the run, at most 1 MiB, and `limits.maxLogBytes` for all runs. If earlier lines are missing, the first line shows how many.',
        params: runParams,
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

  app.get(
    '/v1/run/:id/samples',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The counts of a run over time, about one sample per second',
        description:
          'A run has at most 301 samples: when there are more, every second one is removed. They are kept as long as the run.',
        params: runParams,
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
