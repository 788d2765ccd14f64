import { MAX_MILLIS } from './max-millis.ts';
import { capped, clamped, NO_EFFECT, OneOf, type Static, Type } from './schema.ts';

/** The keys of the `indexer` block, which every indexer has. */
export const indexerSettings = Type.Object({
  type: Type.Optional(Type.String({ description: 'The type of the indexer. Letter case is ignored.' })),
  class: Type.Optional(Type.String({ description: 'The class of the indexer. It overrides type.' })),
  sendEnabled: Type.Boolean({
    default: true,
    description: 'Whether documents are sent. With false, the run does everything except the writing.',
  }),
  batchSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      ...capped('maxBatchDocs', { otherwise: 100 }),
      description:
        'The maximum number of documents in a batch. Defaults to 100, or to no limit if only batchByteSize is set.',
    }),
  ),
  batchByteSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      ...capped('maxBatchBytes'),
      description: 'The maximum number of bytes in a batch. Defaults to no limit.',
    }),
  ),
  batchTimeout: Type.Integer({
    minimum: 0,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
    default: 100,
    description: 'An incomplete batch is sent after this many milliseconds without a new document.',
  }),
  connectTimeout: Type.Integer({
    minimum: 0,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
    default: 60_000,
    description:
      'How many milliseconds a run waits at its start for a destination that is down or starting. With 0, the run fails immediately.',
  }),
  idOverrideField: Type.Optional(
    Type.String({
      description: 'The field whose value is the id in the destination. Defaults to the id of the document.',
    }),
  ),
  indexOverrideField: Type.Optional(
    Type.String({
      description:
        'The field whose value is the index or collection to write to. Only for indexers that write to an index or collection.',
    }),
  ),
  whitelist: Type.Array(Type.String(), { default: [], description: 'The fields to send. An empty list means all.' }),
  blacklist: Type.Array(Type.String(), { default: [], description: 'The fields that are not sent.' }),
  deletionMarkerField: Type.Optional(
    Type.String({
      description: 'The field that marks a document as a request to delete; needs deletionMarkerFieldValue.',
    }),
  ),
  deletionMarkerFieldValue: Type.Optional(
    Type.String({ description: 'The value of deletionMarkerField that requests the deletion.' }),
  ),
  deleteByFieldField: Type.Optional(
    Type.String({ description: 'The field that holds the name of a field to delete by; needs deleteByFieldValue.' }),
  ),
  deleteByFieldValue: Type.Optional(Type.String({ description: 'The field that holds the value to delete by.' })),
  childrenField: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The field of children, such as chunks, that holds the id of their document. After a document and its children are written, all others with this id in the field are deleted. Defaults to none.',
    }),
  ),
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
        'The number of retries after a temporary error, at least 1. Defaults to 10, which takes about three minutes.',
    }),
  ),
  retryWaitDurationMs: Type.Integer({
    minimum: 0,
    default: 1000,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
    description:
      'The wait before the first retry, in milliseconds. Each further wait is twice as long. Needs maxRetries.',
  }),
  retryMaxWaitDurationMs: Type.Integer({
    minimum: 0,
    default: 30_000,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
    description:
      'The longest wait before a retry, in milliseconds. If the server requests a longer wait (Retry-After), the wait is up to one minute. Needs maxRetries.',
  }),
  retryRandomizationFactor: Type.Number({
    minimum: 0,
    exclusiveMaximum: 1,
    default: 0.5,
    description: 'The random variation of the waits, as a fraction. Needs maxRetries.',
  }),
  retryableStatusCodes: Type.Array(Type.Integer(), {
    default: [429, 502, 503, 504, -1],
    description: 'The HTTP statuses that cause a retry; -1 means that the server did not answer. Needs maxRetries.',
  }),
  logRate: Type.Optional(
    Type.Number({ ...NO_EFFECT, description: 'Accepted for compatibility with older configs; it has no effect.' }),
  ),
});

export type IndexerSettings = Static<typeof indexerSettings>;
