import { Type } from '@headrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { namesTag, type Preconditions } from '../configs/config-tag.ts';
import type { Uploaded } from '../configs/configs.ts';
import { sendJson } from './json.ts';
import { problemList } from './route-schemas.ts';

/** The answer to a request that stored a config. */
export const UploadedAnswer = Type.Object({
  configId: Type.String(),
  version: Type.Integer({ minimum: 1, description: 'The current version' }),
  problems: Type.Optional(problemList),
});

export const NotModified = Type.Null({ description: 'If-None-Match contains the current tag of the config' });

/** The headers of a write request that require a state of the config. */
export const preconditionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'The ETag that the config must have, otherwise 412; `*`: the config must exist' }),
  ),
  'if-none-match': Type.Optional(Type.String({ description: '`*`: the config must not exist yet' })),
});

/** The headers of a read request from a client that may already have the current version. */
export const readHeaders = Type.Object({
  'if-none-match': Type.Optional(Type.String({ description: 'An ETag: the answer is 304 if it is still current' })),
});

export function preconditionsOf({ headers }: FastifyRequest): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
}

/** Answers a request that stored a config: with 201 if the config is new, otherwise with 200. */
export function sendUploaded(
  reply: FastifyReply,
  { configId, version, tag, problems, created }: Uploaded,
): FastifyReply {
  const answer = problems.length === 0 ? { configId, version } : { configId, version, problems };
  return sendJson(reply.code(created ? 201 : 200).header('etag', tag), JSON.stringify(answer));
}

/** Answers JSON with its tag, or 304 without a body if the client already has this version. */
export function sendTagged({ headers }: FastifyRequest, reply: FastifyReply, tag: string, json: string): FastifyReply {
  // Proxies must ask the service before they use a stored answer, because a config can change at any time.
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  const known = headers['if-none-match'];
  if (known !== undefined && namesTag(known, tag)) return reply.code(304).send();
  return sendJson(reply, json);
}
