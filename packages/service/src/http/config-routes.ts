import { hasErrors, Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { type ConfigItem, type Configs, configNotFound } from '../configs/configs.ts';
import { uploadText } from '../configs/upload-text.ts';
import type { ConfigFormat } from '../store/store.ts';
import { requireRole } from './access.ts';
import { sendJson, streamJson } from './json.ts';
import { answers, DEFAULT_PAGE, idParams, Nothing, pageOf, pageQuery, problemList, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

/** Configs listed from the store at a time, when all of them are. */
const LIST_STEP = 500;

const ConfigAnswer = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A config, resolved; secrets are masked',
});
const ConfigItemAnswer = Type.Object({
  configId: Type.String(),
  preset: Type.Boolean({ description: 'It belongs to a file' }),
  digest: Type.String(),
  createdTime: Type.Union([Type.Number(), Type.Null()]),
  createdBy: Type.Union([Type.String(), Type.Null()]),
  config: ConfigAnswer,
});

/** The config language decides what may be in such a body, not the schema. */
const configBody = {
  content: {
    'application/json': { schema: Type.Record(Type.String(), Type.Unknown(), { description: 'A config as JSON' }) },
    'application/hocon': { schema: Type.String({ description: 'A config as HOCON' }) },
  },
};

/** Storing, listing, checking and removing configs. */
export async function configRoutes(
  app: FastifyInstance,
  { configs, previews, maxConfigBytes }: ServiceParts,
): Promise<void> {
  const keepBytes = (_request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body);
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', 'application/hocon']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, keepBytes);
  }
  const tags = ['config'];

  app.post<{ Body: Buffer | undefined; Querystring: { validate?: boolean } }>(
    '/v1/config',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'admin', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags,
        summary: 'Store a config',
        querystring: queryOf({
          validate: Type.Optional(Type.Boolean({ description: 'Refuse a config that has errors' })),
        }),
        body: configBody,
        response: answers(
          { 200: Type.Object({ configId: Type.String(), problems: Type.Optional(problemList) }) },
          400,
          413,
          415,
        ),
      },
    },
    async (request, reply) => {
      const text = uploadText(request.body);
      const options = { createdBy: request.user, onlyValid: request.query.validate === true };
      const { configId, problems } = await configs.add(text, bodyFormat(request.headers['content-type']), options);
      return sendJson(reply, JSON.stringify(problems.length === 0 ? { configId } : { configId, problems }));
    },
  );

  app.post<{ Body: Buffer | undefined; Querystring: { connect?: boolean } }>(
    '/v1/config/validate',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'reader', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags,
        summary: 'Check a config without storing it',
        querystring: queryOf({
          connect: Type.Optional(
            Type.Boolean({
              description: 'Look whether what it reads from and writes to is there; needs the role operator',
            }),
          ),
        }),
        body: configBody,
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
      if (connect) requireRole(request, 'operator');
      let problems = await configs.validate(text, format);
      if (connect && !hasErrors(problems)) problems = await previews.reach(await configs.unsavedSource(text, format));
      return sendJson(reply, JSON.stringify({ valid: !hasErrors(problems), problems }));
    },
  );

  app.get<{ Querystring: { limit?: number; after?: string } }>(
    '/v1/config',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'All configs by id, presets included; with `limit` or `after` a page of them, newest first',
        querystring: queryOf(pageQuery),
        response: answers(
          { 200: Type.Union([Type.Record(Type.String(), ConfigAnswer), pageOf(ConfigItemAnswer)]) },
          400,
        ),
      },
    },
    async ({ query: { limit, after } }, reply) => {
      if (limit === undefined && after === undefined) return streamJson(reply, allConfigs(configs));
      const { items, next } = await configs.page(after, limit ?? DEFAULT_PAGE);
      return streamJson(reply, configPage(configs, items, next));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/config/:id',
    {
      config: { access: 'reader' },
      schema: { tags, summary: 'A config', params: idParams, response: answers({ 200: ConfigAnswer }, 404) },
    },
    async ({ params: { id } }, reply) => {
      const answer = await configs.answer(id);
      if (answer === undefined) throw configNotFound(id);
      return sendJson(reply, answer);
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/v1/config/:id',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'Remove a config; its runs go on with their own copy',
        params: idParams,
        response: answers({ 200: Nothing }, 404, 409),
      },
    },
    async ({ params: { id } }, reply) => {
      await configs.delete(id);
      return reply.send();
    },
  );
}

function bodyFormat(contentType: string | undefined): ConfigFormat {
  return /^\s*application\/hocon\b/i.test(contentType ?? '') ? 'hocon' : 'json';
}

/** `{"<id>": <config>, …}`: one config in memory at a time, however many there are. */
async function* allConfigs(configs: Configs): AsyncGenerator<string> {
  let separator = '{';
  let after: string | null = null;
  do {
    const page = await configs.page(after ?? undefined, LIST_STEP);
    for (const { id } of page.items) {
      const answer = await configs.answer(id);
      // It may have been removed since.
      if (answer === undefined) continue;
      yield `${separator}${JSON.stringify(id)}:${answer}`;
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
    yield `${separator}${JSON.stringify({ configId: id, ...item }).slice(0, -1)},"config":${answer}}`;
    separator = ',';
  }
  yield `${separator === ',' ? '' : separator}],"next":${JSON.stringify(next)}}`;
}
