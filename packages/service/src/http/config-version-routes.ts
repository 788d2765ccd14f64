import { Type } from '@headrace/engine';
import { nullable } from '../api/nullable.ts';
import { configTag } from '../configs/config-tag.ts';
import {
  NotModified,
  preconditionHeaders,
  preconditionsOf,
  readHeaders,
  sendTagged,
  sendUploaded,
  UploadedAnswer,
} from './config-answers.ts';
import { sendJson } from './json.ts';
import { answers, configParams, DEFAULT_PAGE, MAX_NUMBER, pageOf, pageQuery, queryOf } from './route-schemas.ts';
import type { ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const VersionNumber = Type.Integer({ minimum: 1, maximum: MAX_NUMBER });

const VersionItem = Type.Object({
  version: VersionNumber,
  digest: Type.String({ description: 'SHA-256 of the config as GET returns it' }),
  createdTime: Type.Number(),
  createdBy: nullable(Type.String()),
});

const Change = Type.Object({
  path: Type.String({ description: 'Such as `connectors[0].numDocs`' }),
  old: Type.Optional(Type.Unknown({ description: 'Absent if the value is new' })),
  new: Type.Optional(Type.Unknown({ description: 'Absent if the value was removed' })),
});

const versionParams = Type.Object({ ...configParams.properties, version: VersionNumber });

/** The routes that list, show, compare and restore the versions of a config. */
export async function configVersionRoutes(app: ServiceApp, { configs }: ServiceParts): Promise<void> {
  const tags = ['config'];

  app.get(
    '/v1/config/:id/versions',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The stored versions of a config, newest first',
        description: 'A preset gets 409, here and at the other requests about versions: its file has no versions.',
        params: configParams,
        querystring: queryOf(pageQuery),
        response: answers({ 200: pageOf(VersionItem) }, 400, 404, 409),
      },
    },
    async ({ params: { id }, query: { limit = DEFAULT_PAGE, after } }, reply) =>
      sendJson(reply, JSON.stringify(await configs.versions(id, { after, limit }))),
  );

  app.get(
    '/v1/config/:id/versions/:version',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'A version of a config, in the same format as GET /v1/config/{id}',
        params: versionParams,
        headers: readHeaders,
        response: answers({ 200: Type.Record(Type.String(), Type.Unknown()), 304: NotModified }, 400, 404, 409),
      },
    },
    async (request, reply) => {
      const { id, version } = request.params;
      const found = await configs.version(id, version);
      return sendTagged(request, reply, configTag(found), found.answer);
    },
  );

  app.post(
    '/v1/config/:id/versions/:version/restore',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'Restore an old version with its secrets, as a new version',
        params: versionParams,
        headers: preconditionHeaders,
        response: answers({ 200: UploadedAnswer }, 400, 404, 409, 412),
      },
    },
    async (request, reply) => {
      const { id, version } = request.params;
      return sendUploaded(reply, await configs.restore(id, version, request.user, preconditionsOf(request)));
    },
  );

  app.get(
    '/v1/config/:id/text',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The text of a config as it was uploaded, with comments; secrets are masked',
        description: 'If a secret in the text cannot be masked, the answer is 409.',
        params: configParams,
        querystring: queryOf({
          version: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_NUMBER, description: 'Default: the current version' }),
          ),
        }),
        response: {
          ...answers({}, 400, 404, 409),
          200: {
            description: 'HOCON or JSON',
            content: {
              'application/hocon': { schema: Type.String() },
              'application/json': { schema: Type.Record(Type.String(), Type.Unknown()) },
            },
          },
        },
      },
    },
    async ({ params: { id }, query }, reply) => {
      const version = await configs.version(id, query.version);
      const text = await configs.maskedText(version);
      reply.header('etag', configTag(version)).header('cache-control', 'private, no-cache');
      if (version.format === 'json') return sendJson(reply, text);
      return reply.type('application/hocon; charset=utf-8').send(text);
    },
  );

  app.get(
    '/v1/config/:id/diff',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The changes from one version to another, also of another config',
        description: 'A changed secret is in the list, but its values are masked.',
        params: configParams,
        querystring: queryOf({
          from: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: MAX_NUMBER,
              description: 'Default: the version before `to`; the current one if `other` is given',
            }),
          ),
          to: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_NUMBER, description: 'Default: the current version' }),
          ),
          other: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'The config of the version `to`, by id or name. Default: the same config',
            }),
          ),
        }),
        response: answers(
          { 200: Type.Object({ from: VersionNumber, to: VersionNumber, changes: Type.Array(Change) }) },
          400,
          404,
          409,
        ),
      },
    },
    async ({ params: { id }, query }, reply) => {
      const { other } = query;
      const to = await configs.version(other ?? id, query.to);
      const before = other === undefined ? Math.max(1, to.version - 1) : undefined;
      const from = await configs.version(id, query.from ?? before);
      const changes = await configs.diff(from, to);
      return sendJson(reply, JSON.stringify({ from: from.version, to: to.version, changes }));
    },
  );
}
