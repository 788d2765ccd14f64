import type { ComponentKind } from './catalog.ts';
import { OneOf, type TObject, Type } from './schema.ts';

/** A condition of a stage. */
export const conditionParameters = Type.Object({
  fields: Type.Array(Type.String()),
  operator: Type.Optional(OneOf(['must', 'must_not'], { default: 'must' })),
  values: Type.Optional(Type.Array(Type.Unknown(), { javaType: 'java.util.List<java.lang.String>' })),
  valuesPath: Type.Optional(Type.String()),
});

/** The keys that every component of a kind takes beside its own parameters. */
export const commonParameters: Readonly<Record<ComponentKind, TObject | undefined>> = {
  connector: Type.Object({
    class: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    pipeline: Type.Optional(Type.String()),
    docIdPrefix: Type.Optional(Type.String({ default: '' })),
    collapse: Type.Optional(Type.Boolean({ default: false })),
  }),
  stage: Type.Object({
    class: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    conditions: Type.Optional(Type.Array(conditionParameters)),
    conditionPolicy: Type.Optional(Type.String({ default: 'all' })),
  }),
  // The keys of the `indexer` block are the engine's, not the indexer's: the reference lists them nowhere either.
  indexer: undefined,
};
