import { hasErrors, type Static, Type } from '@headrace/engine';
import type { FastifyRequest } from 'fastify';
import { nullable } from '../api/nullable.ts';
import { RunStateAnswer } from '../api/run-details.ts';
import { configNotFound } from '../configs/config-errors.ts';
import type { ConfigItem } from '../configs/config-pages.ts';
import type { Configs, Upload } from '../configs/configs.ts';
import { uploadText } from '../configs/upload-text.ts';
import { CONFIG_CURSOR } from '../requests/text-formats.ts';
import type { ConfigFormat, ConfigNotes } from '../store/store.ts';
import { requireRole } from './access.ts';
import {
  NotModified,
  preconditionHeaders,
  preconditionsOf,
  readHeaders,
  sendTagged,
  sendUploaded,
  UploadedAnswer,
} from './config-answers.ts';
import { sendJson, streamJson } from './json.ts';
import { labelQuery, parseLabels, uploadLabelQuery } from './label-query.ts';
import { acceptRawBodies } from './raw-bodies.ts';
import {
  answers,
  configParams,
  DEFAULT_PAGE,
  Nothing,
  pageOf,
  pageQueryOf,
  paragraphs,
  problemList,
  queryOf,
} from './route-schemas.ts';
import { ownBody, type ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

/** How many configs are read from the store at a time when all are listed. */
const LIST_STEP = 500;

const ConfigAnswer = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'A config, resolved. Passwords, keys and values from the environment are `******`; runs get the real values',
});
const ConfigItemAnswer = Type.Object({
  configId: Type.String(),
  preset: Type.Boolean({ description: 'Whether the config is a preset, which is defined by a file' }),
  problem: nullable(
    Type.String({
      description:
        'Why the file of a preset is not in use as it is: the first error. If the file has changed, the config from before is in use. Secrets are `******`. Null for an upload',
    }),
  ),
  name: nullable(Type.String()),
  description: nullable(Type.String()),
  labels: Type.Record(Type.String(), Type.String()),
  version: nullable(Type.Integer({ minimum: 1, description: 'Null for a preset' })),
  digest: Type.String({ description: 'SHA-256 of the config as `GET /v1/config/{id}` returns it' }),
  createdTime: nullable(Type.Number({ description: 'Null for a preset, like the three fields after it' })),
  createdBy: nullable(Type.String({ description: 'The user' })),
  updatedTime: nullable(Type.Number({ description: 'When the current version was stored' })),
  updatedBy: nullable(Type.String({ description: 'The user' })),
  nextTime: nullable(Type.Number({ description: 'When the next run is due; null without a schedule' })),
  lastRun: nullable(
    Type.Object(
      {
        runId: Type.String(),
        status: RunStateAnswer,
        startTime: Type.Number(),
        failed: Type.Integer({ description: 'The number of failed documents' }),
        problem: nullable(Type.String({ description: 'The message of the first problem' })),
      },
      { description: 'The newest run; null if there is none' },
    ),
  ),
  config: Type.Optional(ConfigAnswer),
});

/** The query of an upload: name, description and labels. They are not in the body, because the body is the config. */
const uploadQuery = queryOf({
  validate: Type.Optional(Type.Boolean({ description: 'Refuse a config that has errors' })),
  name: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Unique; can be used instead of the id. Letters, digits, `.`, `-` and `_`; it must not look like an id or like the file of a preset. An empty name removes the old one',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1000, description: 'An empty one removes the old one' })),
  label: uploadLabelQuery,
});

type UploadQuery = Static<typeof uploadQuery>;

/** The body of an upload. The schema accepts any object, because the config language checks the content. */
const configBody = {
  content: {
    'application/json': {
      schema: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'A config as JSON. A text that is not strict JSON is read and stored as HOCON: comments, unquoted keys, keys that are given twice and merged',
      }),
    },
    'application/hocon': {
      schema: Type.String({ description: 'A config as HOCON. An integer of more than 64 bits is a text' }),
    },
  },
};

/** The body of a check. It may be any text, because the answer reports what is wrong with it. */
const checkedBody = {
  content: {
    'application/json': { schema: Type.Unknown({ description: 'A config as JSON' }) },
    'application/hocon': configBody.content['application/hocon'],
  },
};

/** The routes that store, list, check and delete configs. */
export async function configRoutes(
  app: ServiceApp,
  { configs, runs, previews, schedules, maxConfigBytes }: ServiceParts,
): Promise<void> {
  acceptRawBodies(app, 'application/json', 'application/hocon');
  const tags = ['config'];

  app.post(
    '/v1/config',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'admin', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags,
        summary: 'Store a config',
        description: paragraphs(
          'A config that cannot be read gets 400. A readable config is stored even if it has errors, except with `validate=true`. The answer then has its `problems`, and its runs and previews fail with the same list. Lines and columns are positions in the text as it was sent.',
          'A config may have 100,000 values, counting lists, objects and everything in them: put long lists in files. It may be nested 1000 levels deep.',
        ),
        querystring: uploadQuery,
        body: ownBody<Buffer>(configBody),
        response: answers(
          { 200: Type.Object({ configId: Type.String(), problems: Type.Optional(problemList) }) },
          400,
          409,
          413,
          415,
        ),
      },
    },
    async (request, reply) => {
      const { configId, problems, tag } = await configs.add(uploadOf(request));
      const answer = problems.length === 0 ? { configId } : { configId, problems };
      return sendJson(reply.header('etag', tag), JSON.stringify(answer));
    },
  );

  app.put(
    '/v1/config/:id',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'admin', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags,
        summary: 'Replace a config by a new version; an unused name creates a config with that name',
        description: paragraphs(
          'An unused name answers 201, so the same request deploys a config the first time and later. An unknown id gets 404, and a preset 409. The same text again creates no version. The name, the description and the labels stay unless the query has new ones.',
          'A secret that is `******` keeps its stored value if its component or block is otherwise unchanged. If not, the config is refused, and the message names the secrets to enter again.',
          '`limits.maxConfigVersions` versions of each config are kept.',
        ),
        params: configParams,
        headers: preconditionHeaders,
        querystring: uploadQuery,
        body: ownBody<Buffer>(configBody),
        response: answers({ 200: UploadedAnswer, 201: UploadedAnswer }, 400, 404, 409, 412, 413, 415),
      },
    },
    async (request, reply) => {
      const uploaded = await configs.put(request.params.id, uploadOf(request), preconditionsOf(request));
      return sendUploaded(reply, uploaded);
    },
  );

  app.post(
    '/v1/config/validate',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'reader', audited: false, bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags,
        summary: 'Check a config without storing it',
        description: 'The answer is 200 with the problems also if the text cannot be read.',
        querystring: queryOf({
          connect: Type.Optional(
            Type.Boolean({
              description: 'Also check the connections to its sources and to the indexer; needs the role admin',
            }),
          ),
        }),
        body: ownBody<Buffer>(checkedBody),
        response: answers(
          { 200: Type.Object({ valid: Type.Boolean(), problems: problemList }) },
          400,
          403,
          413,
          415,
          422,
          429,
        ),
      },
    },
    async (request, reply) => {
      const text = uploadText(request.body);
      const format = bodyFormat(request.headers['content-type']);
      const connect = request.query.connect === true;
      if (connect) requireRole(request, 'admin');
      let problems = await configs.validate(text, format);
      if (connect && !hasErrors(problems)) {
        problems = await previews.checkAccess((await configs.inlineSource(text, format)).source);
      }
      return sendJson(reply, JSON.stringify({ valid: !hasErrors(problems), problems }));
    },
  );

  app.get(
    '/v1/config',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'All configs by id, including presets; with any parameter, one page of them',
        description: 'A page has the presets first, then the uploads, the newest first, each with its last run.',
        querystring: queryOf({
          ...pageQueryOf(CONFIG_CURSOR.pattern),
          label: labelQuery,
          q: Type.Optional(
            Type.String({ maxLength: 200, description: 'A part of the id, the name or the description' }),
          ),
          content: Type.Optional(
            Type.Boolean({ description: 'false omits `config`, the content of each config; default true' }),
          ),
        }),
        response: answers(
          { 200: Type.Union([Type.Record(Type.String(), ConfigAnswer), pageOf(ConfigItemAnswer)]) },
          400,
        ),
      },
    },
    async ({ query }, reply) => {
      if (Object.keys(query).length === 0) return streamJson(reply, allConfigs(configs));
      const { limit = DEFAULT_PAGE, after, label = [], q: text, content = true } = query;
      const { items, next } = await configs.page({ after, limit, labels: parseLabels(label), text });
      const last = new Map(
        (await runs.lastOf(items.map(({ id }) => id))).map(({ configId, ...run }) => [configId, run]),
      );
      const dated = items.map((item) => ({
        ...item,
        nextTime: schedules.nextTime(item.id),
        lastRun: last.get(item.id) ?? null,
      }));
      if (content) return streamJson(reply, configPage(configs, dated, next));
      const answer = { items: dated.map(({ id, ...item }) => ({ configId: id, ...item })), next };
      return sendJson(reply, JSON.stringify(answer));
    },
  );

  app.get(
    '/v1/config/:id',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'A config',
        description:
          'The header `ETag` names the version: send it as `If-Match` with `PUT` or `DELETE` to protect the changes of other users, or as `If-None-Match` to get 304 if nothing has changed.',
        params: configParams,
        headers: readHeaders,
        response: answers({ 200: ConfigAnswer, 304: NotModified }, 404),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await configs.answer(id);
      if (answer === undefined) throw configNotFound(id);
      return sendTagged(request, reply, answer.tag, answer.json);
    },
  );

  app.delete(
    '/v1/config/:id',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'Remove a config with all its versions and its schedule; its runs continue with their copy',
        description: 'A preset gets 409.',
        params: configParams,
        headers: Type.Pick(preconditionHeaders, ['if-match']),
        response: answers({ 200: Nothing }, 404, 409, 412),
      },
    },
    async ({ params: { id }, headers }, reply) => {
      await configs.delete(id, { ifMatch: headers['if-match'], ifNoneMatch: undefined });
      return reply.send();
    },
  );
}

/** Returns the upload of a request. An empty name, description or label removes the old one. */
function uploadOf({
  body,
  headers,
  query: { validate = false, name, description, label },
  user,
}: FastifyRequest<{ Body: Buffer | undefined; Querystring: UploadQuery }>): Upload {
  const notes: Partial<ConfigNotes> = {
    ...(name === undefined ? {} : { name: name === '' ? null : name }),
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
    ...(label === undefined ? {} : { labels: parseLabels(label.filter((text) => text !== '')) }),
  };
  const format = bodyFormat(headers['content-type']);
  return { text: uploadText(body), format, createdBy: user, notes, onlyValid: validate };
}

function bodyFormat(contentType: string | undefined): ConfigFormat {
  return /^\s*application\/hocon\b/i.test(contentType ?? '') ? 'hocon' : 'json';
}

/** Streams all configs as `{"<id>": <config>, …}`, with only one config in memory at a time. */
async function* allConfigs(configs: Configs): AsyncGenerator<string> {
  let separator = '{';
  let after: string | null = null;
  do {
    const page = await configs.page({ after: after ?? undefined, limit: LIST_STEP, labels: {} });
    for (const { id } of page.items) {
      const answer = await configs.answer(id);
      // The config may have been deleted in the meantime.
      if (answer === undefined) continue;
      yield `${separator}${JSON.stringify(id)}:${answer.json}`;
      separator = ',';
    }
    after = page.next;
  } while (after !== null);
  yield separator === '{' ? '{}' : '}';
}

async function* configPage(
  configs: Configs,
  items: readonly ConfigItem[],
  next: string | null,
): AsyncGenerator<string> {
  let separator = '{"items":[';
  for (const { id, ...item } of items) {
    const answer = await configs.answer(id);
    if (answer === undefined) continue;
    yield `${separator}${JSON.stringify({ configId: id, ...item }).slice(0, -1)},"config":${answer.json}}`;
    separator = ',';
  }
  yield `${separator === ',' ? '' : separator}],"next":${JSON.stringify(next)}}`;
}
