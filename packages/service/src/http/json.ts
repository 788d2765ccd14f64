import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const JSON_TYPE = 'application/json';
const CHUNK_BYTES = 64 * 1024;

/** Answers a text that is JSON already. As bytes, because a text would get a charset, which JSON has none. */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(typeof json === 'string' ? Buffer.from(json) : json);
}

/** Answers JSON that is too long to be held whole: the parts go out as they come. */
export function streamJson(reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(Readable.from(inChunks(parts), { objectMode: false }));
}

async function* inChunks(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = '';
  for await (const part of parts) {
    chunk += part;
    if (chunk.length < CHUNK_BYTES) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}
