import { OneOf, type Static, Type } from './schema.ts';

/** The keys of the `indexer` block that every indexer shares. */
export const indexerSettings = Type.Object({
  type: Type.Optional(Type.String()),
  class: Type.Optional(Type.String()),
  sendEnabled: Type.Optional(Type.Boolean({ default: true })),
  batchSize: Type.Optional(Type.Integer({ minimum: 1 })),
  batchByteSize: Type.Optional(Type.Integer({ minimum: 1 })),
  batchTimeout: Type.Optional(Type.Integer({ minimum: 0, default: 100 })),
  idOverrideField: Type.Optional(Type.String()),
  indexOverrideField: Type.Optional(Type.String()),
  whitelist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  blacklist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  deletionMarkerField: Type.Optional(Type.String()),
  deletionMarkerFieldValue: Type.Optional(Type.String()),
  deleteByFieldField: Type.Optional(Type.String()),
  deleteByFieldValue: Type.Optional(Type.String()),
  routingField: Type.Optional(Type.String()),
  versionType: Type.Optional(
    OneOf(['Internal', 'External', 'ExternalGte', 'Force', 'internal', 'external', 'external_gte', 'force']),
  ),
  versionField: Type.Optional(Type.String()),
  maxRetries: Type.Optional(Type.Integer()),
  retryWaitDurationMs: Type.Optional(Type.Integer({ minimum: 0 })),
  retryMaxWaitDurationMs: Type.Optional(Type.Integer({ minimum: 0 })),
  retryRandomizationFactor: Type.Optional(Type.Number({ minimum: 0, exclusiveMaximum: 1 })),
  retryableStatusCodes: Type.Optional(Type.Array(Type.Integer())),
  logRate: Type.Optional(Type.Number()),
});

export type IndexerSettings = Static<typeof indexerSettings>;
