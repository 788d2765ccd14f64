import type { Readable } from 'node:stream';
import { Type } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import { sendJson } from './json.ts';
import { answers, Nothing, paragraphs, queryOf } from './route-schemas.ts';
import { ownBody, type ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const BYTES_TYPE = 'application/octet-stream';

const FileAnswer = Type.Object({
  name: Type.String(),
  path: Type.String({ description: 'The path for configs, on the machine of the service' }),
  bytes: Type.Integer(),
  modifiedTime: Type.Number({ description: 'The time of the upload, in seconds since the epoch' }),
});

const fileParams = Type.Object({
  name: Type.String({
    minLength: 1,
    description:
      '1 to 128 letters, digits, dots, hyphens, underscores, spaces, plus signs and parentheses; the first is a letter or digit',
  }),
});

/** The routes of the files that users upload, so that configs can read them. */
export async function fileRoutes(app: ServiceApp, { files, settings }: ServiceParts): Promise<void> {
  const { maxFileBytes } = settings.limits;
  const tags = ['file'];
  app.removeAllContentTypeParsers();
  // The content goes to the disk, not through memory.
  app.addContentTypeParser(BYTES_TYPE, (_request, payload, done) => done(null, payload));

  app.get(
    '/v1/file',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The uploaded files by name, and the largest size of a file',
        response: answers({ 200: Type.Object({ items: Type.Array(FileAnswer), maxFileBytes: Type.Integer() }) }),
      },
    },
    async (_request, reply) => sendJson(reply, JSON.stringify({ items: await files.list(), maxFileBytes })),
  );

  app.put(
    '/v1/file/:name',
    {
      config: { access: 'admin', streamsBody: true },
      schema: {
        tags,
        summary: 'Upload a file that configs can read',
        description: paragraphs(
          'The request must announce its size (`Content-Length`). `limits.maxFileBytes` limits a file, `limits.maxFilesBytes` all files; there may be 1000 files, and `limits.minFreeDiskMb` must stay free on their disk. `limits.requestTimeoutSeconds` applies.',
          'The file appears when it has arrived completely; an upload that fails leaves nothing. If there is a file with the name, the answer is 409 `HR_FILE_EXISTS`, except with `replace=true`: runs that read the old file continue with it.',
        ),
        params: fileParams,
        querystring: queryOf({
          replace: Type.Optional(Type.Boolean({ description: 'Replace the file with this name, if there is one' })),
        }),
        body: ownBody<Readable>({ content: { [BYTES_TYPE]: { schema: Type.String({ format: 'binary' }) } } }),
        response: answers({ 200: FileAnswer, 201: FileAnswer }, 400, 409, 413, 415),
      },
    },
    async ({ params: { name }, query, body, headers }, reply) => {
      const bytes = Number(headers['content-length']);
      if (bytes === 0) throw new ApiError('HR_REQUEST_EMPTY_BODY', 'The file is empty');
      if (!Number.isSafeInteger(bytes) || body === null || body === undefined) {
        throw new ApiError('HR_REQUEST_INVALID', 'The request does not announce the size of the file', {
          hint: 'Send the header Content-Length.',
        });
      }
      if (bytes > maxFileBytes) {
        throw new ApiError('HR_REQUEST_TOO_LARGE', `The file is larger than ${maxFileBytes} bytes`, {
          hint: 'limits.maxFileBytes in the service file sets this limit.',
        });
      }
      const { file, replaced } = await files.put({ name, content: body, bytes, replace: query.replace === true });
      return sendJson(reply.code(replaced ? 200 : 201), JSON.stringify(file));
    },
  );

  app.delete(
    '/v1/file/:name',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        summary: 'Delete an uploaded file',
        description: 'The service does not know which configs read it.',
        params: fileParams,
        response: answers({ 204: Nothing }, 400, 404),
      },
    },
    async ({ params: { name } }, reply) => {
      await files.remove(name);
      return reply.code(204).send();
    },
  );
}
