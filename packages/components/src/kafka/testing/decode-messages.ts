import type { Document, RecordNotice, RejectedRecord } from '@headrace/engine';
import { MessageBatch } from '../message-batch.ts';
import { MessageDecoder, type MessageDecoderOptions } from '../message-decoder.ts';
import type { RegisteredSchema } from '../schemas/registered-schema.ts';

export interface TestMessage {
  readonly key?: string | Buffer;
  /** Undefined for a tombstone. */
  readonly value?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | Buffer>>;
}

export interface DecodedMessages {
  readonly documents: readonly Document[];
  readonly json: readonly string[];
  readonly rejected: readonly RejectedRecord[];
  readonly notices: readonly (RecordNotice & { readonly code: string })[];
}

/** Sends messages through a batch and a decoder, as the connector does. */
export function decodeMessages(
  messages: readonly TestMessage[],
  options: Partial<MessageDecoderOptions> = {},
  headerNames: readonly string[] = [],
  schemas?: ReadonlyMap<number, RegisteredSchema>,
): DecodedMessages {
  const batch = new MessageBatch({ keys: true, headers: headerNames, schemas: schemas !== undefined });
  for (const [i, { key, value, headers = {} }] of messages.entries()) {
    batch.add({
      partition: 0,
      offset: BigInt(i),
      leaderEpoch: 0,
      key: key === undefined ? undefined : Buffer.from(key as string),
      value: value === undefined ? undefined : Buffer.from(value as string),
      headers: Object.entries(headers).map(([name, header]) => [Buffer.from(name), Buffer.from(header as string)]),
    });
  }
  const reference = MessageDecoder.reference({
    topic: 't',
    docIdPrefix: '',
    idFrom: 'field',
    idField: 'id',
    tombstones: 'fail',
    headerFields: [],
    unwrap: undefined,
    ...options,
  });
  const chunk = batch.chunk(reference, schemas);
  const decoder = new MessageDecoder(structuredClone(reference.options) as MessageDecoderOptions);
  const documents: Document[] = [];
  const rejected: RejectedRecord[] = [];
  const notices: (RecordNotice & { readonly code: string })[] = [];
  decoder.decode(chunk.bytes, structuredClone(chunk.position), {
    document: (document) => void documents.push(document),
    reject: (record) => void rejected.push(record),
    warn: () => undefined,
    notice: (code: string, details: RecordNotice = {}) => void notices.push({ code, ...details }),
  });
  return { documents, json: documents.map((document) => document.toJson()), rejected, notices };
}
