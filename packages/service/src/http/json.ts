import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const JSON_TYPE = 'application/json';
const CHUNK_BYTES = 64 * 1024;

/**
 * Sends a text that is already JSON. A custom serializer prevents fastify from adding a charset, which JSON does not
 * have.
 */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).serializer(asItIs).send(json);
}

function asItIs(json: string): string {
  return json;
}

/** Streams JSON that is too large for memory. Each part is sent when it arrives. */
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
