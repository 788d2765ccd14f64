import { Type } from '@headrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { namesTag, type Preconditions } from '../configs/config-tag.ts';
import type { Uploaded } from '../configs/configs.ts';
import { sendJson } from './json.ts';
import { problemList } from './route-schemas.ts';

/** A config that has been written. */
export const UploadedAnswer = Type.Object({
  configId: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  problems: Type.Optional(problemList),
});

export const NotModified = Type.Null({ description: 'The tag of If-None-Match is that of the config; no body' });

/** In which state a config must be for a write. */
export const preconditionHeaders = Type.Object({
  'if-match': Type.Optional(Type.String({ description: 'The ETag of the config that is meant; `*`: any, but one' })),
  'if-none-match': Type.Optional(Type.String({ description: '`*`: there must be no such config yet' })),
});

/** The client has the config of this tag already. */
export const readHeaders = Type.Object({ 'if-none-match': Type.Optional(Type.String({ description: 'An ETag' })) });

export function preconditionsOf({ headers }: FastifyRequest): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
}

/** Answers what a write has made: 201 for a new config. */
export function sendUploaded(
  reply: FastifyReply,
  { configId, version, tag, problems, created }: Uploaded,
): FastifyReply {
  const answer = problems.length === 0 ? { configId, version } : { configId, version, problems };
  return sendJson(reply.code(created ? 201 : 200).header('etag', tag), JSON.stringify(answer));
}

/** Answers JSON with its tag; or 304 alone, when the client has it already. */
export function sendTagged({ headers }: FastifyRequest, reply: FastifyReply, tag: string, json: string): FastifyReply {
  // A proxy may keep it, but has to ask: a config changes at any time.
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  const known = headers['if-none-match'];
  if (known !== undefined && namesTag(known, tag)) return reply.code(304).send();
  return sendJson(reply, json);
}
