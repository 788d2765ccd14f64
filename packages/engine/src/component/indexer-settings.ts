import { MAX_MILLIS } from './max-millis.ts';
import { capped, clamped, NO_EFFECT, OneOf, type Static, Type } from './schema.ts';

/** The keys of the `indexer` block that every indexer shares. */
export const indexerSettings = Type.Object({
  type: Type.Optional(Type.String({ description: 'The indexer, by its type; letter case does not matter.' })),
  class: Type.Optional(Type.String({ description: 'The indexer, by its class. It wins over type.' })),
  sendEnabled: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether anything is sent. With false the run does all its work except the writing.',
    }),
  ),
  batchSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      ...capped('maxBatchDocs', { otherwise: 100 }),
      description:
        'How many documents go into a batch. Defaults to 100, or to no limit when only batchByteSize is set.',
    }),
  ),
  batchByteSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      ...capped('maxBatchBytes'),
      description: 'How many bytes go into a batch. Defaults to no limit.',
    }),
  ),
  batchTimeout: Type.Optional(
    Type.Integer({
      minimum: 0,
      ...clamped({ maximum: MAX_MILLIS }),
      ...capped('maxWaitSecs', { scale: 1000 }),
      default: 100,
      description: 'After how many milliseconds without a new document an unfinished batch is sent.',
    }),
  ),
  connectTimeout: Type.Optional(
    Type.Integer({
      minimum: 0,
      ...clamped({ maximum: MAX_MILLIS }),
      ...capped('maxWaitSecs', { scale: 1000 }),
      default: 60_000,
      description:
        'How many milliseconds a run waits at its start for a destination that is down or starting. With 0 it fails at once.',
    }),
  ),
  idOverrideField: Type.Optional(
    Type.String({
      description: 'The field whose value is the id in the destination. Defaults to the id of the document.',
    }),
  ),
  indexOverrideField: Type.Optional(
    Type.String({
      description: 'The field whose value is the index or collection to write to, where the indexer has such.',
    }),
  ),
  whitelist: Type.Optional(
    Type.Array(Type.String(), { default: [], description: 'The only fields to send. Defaults to all.' }),
  ),
  blacklist: Type.Optional(Type.Array(Type.String(), { default: [], description: 'Fields that are not sent.' })),
  deletionMarkerField: Type.Optional(
    Type.String({
      description: 'The field that marks a document as a request to delete; needs deletionMarkerFieldValue.',
    }),
  ),
  deletionMarkerFieldValue: Type.Optional(
    Type.String({ description: 'The value by which deletionMarkerField marks it.' }),
  ),
  deleteByFieldField: Type.Optional(
    Type.String({ description: 'The field that holds the name of a field to delete by; needs deleteByFieldValue.' }),
  ),
  deleteByFieldValue: Type.Optional(Type.String({ description: 'The field that holds the value to delete by.' })),
  routingField: Type.Optional(Type.String({ description: 'The field whose value is the routing key.' })),
  versionType: Type.Optional(
    OneOf(['Internal', 'External', 'ExternalGte', 'Force', 'internal', 'external', 'external_gte', 'force'], {
      description: 'How the destination compares versions.',
    }),
  ),
  versionField: Type.Optional(Type.String({ description: 'The field whose value is the version.' })),
  maxRetries: Type.Optional(
    Type.Integer({
      ...capped('maxRetries', { otherwise: 10 }),
      description:
        'How often something that may succeed later is sent again, at least 1. Defaults to 10, which is about three minutes.',
    }),
  ),
  retryWaitDurationMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      ...clamped({ maximum: MAX_MILLIS }),
      ...capped('maxWaitSecs', { scale: 1000, otherwise: 1000 }),
      description:
        'The first wait before a retry, in milliseconds; it doubles from one to the next. Needs maxRetries. Defaults to 1000.',
    }),
  ),
  retryMaxWaitDurationMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      ...clamped({ maximum: MAX_MILLIS }),
      ...capped('maxWaitSecs', { scale: 1000, otherwise: 30_000 }),
      description:
        'The longest wait before a retry, in milliseconds; a server that asks for more (Retry-After) gets up to a minute. Needs maxRetries. Defaults to 30000.',
    }),
  ),
  retryRandomizationFactor: Type.Optional(
    Type.Number({
      minimum: 0,
      exclusiveMaximum: 1,
      description: 'By which part the waits vary at random. Needs maxRetries. Defaults to 0.5.',
    }),
  ),
  retryableStatusCodes: Type.Optional(
    Type.Array(Type.Integer(), {
      description:
        'The HTTP statuses after which something is sent again; -1 means that there was no answer. Needs maxRetries. Defaults to 429, 502, 503, 504 and -1.',
    }),
  ),
  logRate: Type.Optional(
    Type.Number({ ...NO_EFFECT, description: 'Accepted for compatibility with older configs; it has no effect.' }),
  ),
});

export type IndexerSettings = Static<typeof indexerSettings>;
