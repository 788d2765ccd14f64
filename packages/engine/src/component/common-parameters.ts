import type { ComponentKind } from './catalog.ts';
import { OneOf, READS, type TObject, Type } from './schema.ts';

/** Operators as other languages write them. */
const OPERATORS_ELSEWHERE = {
  ...{ '=': 'must', '==': 'must', '===': 'must', equals: 'must', eq: 'must', in: 'must', exists: 'must' },
  ...{ '!=': 'must_not', '<>': 'must_not', not: 'must_not', ne: 'must_not' },
  ...{ lt: '<', lte: '<=', '=<': '<=', gt: '>', gte: '>=', '=>': '>=' },
  ...{ regex: 'matches', regexp: 'matches', match: 'matches', '=~': 'matches', '~': 'matches' },
};

/** A condition of a stage. */
export const conditionParameters = Type.Object({
  fields: Type.Array(Type.String(), { description: 'The fields to look at. An empty list always holds.' }),
  operator: Type.Optional(
    OneOf(['must', 'must_not', '<', '<=', '>', '>=', 'matches'], {
      default: 'must',
      meant: OPERATORS_ELSEWHERE,
      description:
        'must: any of the fields has any of the values, or, without values, all fields are present. must_not: no field has any of the values, or all fields are absent. <, <=, >, >=: any of the fields has a value that compares so with the one in values. matches: any of the fields has a value in which one of the regular expressions in values is found.',
    }),
  ),
  values: Type.Optional(
    Type.Array(Type.Unknown(), {
      javaType: 'java.util.List<java.lang.String>',
      description:
        'The values to match, compared as texts, letter case included. For a comparison one number, date or text, for matches regular expressions.',
    }),
  ),
  valuesPath: Type.Optional(
    Type.String({ description: 'A file with one value on each line, instead of values. It is read once.', ...READS }),
  ),
});

/** The keys of a condition that combines others. Such a condition has one of them, and no other key. */
export const GROUP_KEYS = ['and', 'or', 'not'] as const;

/** The keys that every component of a kind takes in addition to its own parameters. */
export const commonParameters: Readonly<Record<ComponentKind, TObject | undefined>> = {
  connector: Type.Object({
    class: Type.Optional(Type.String({ description: 'The name of the connector.' })),
    name: Type.Optional(Type.String({ description: 'A unique name. Defaults to connector_<position>, from 1.' })),
    pipeline: Type.Optional(
      Type.String({
        description: 'The pipeline that takes the documents. Without one the connector publishes nothing.',
      }),
    ),
    docIdPrefix: Type.Optional(
      Type.String({ default: '', description: 'Goes before every id that the connector makes.' }),
    ),
    collapse: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether consecutive documents with the same id are merged into one, their values collected.',
      }),
    ),
  }),
  stage: Type.Object({
    class: Type.Optional(Type.String({ description: 'The name of the stage.' })),
    name: Type.Optional(
      Type.String({
        description: 'A unique name in the pipeline. Defaults to stage_<position> among the enabled stages, from 1.',
      }),
    ),
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether the stage is part of the pipeline. It is checked all the same.',
      }),
    ),
    conditions: Type.Optional(
      Type.Array(conditionParameters, {
        description: 'When a document does not meet them it passes the stage unchanged.',
      }),
    ),
    conditionPolicy: Type.Optional(
      Type.String({ default: 'all', description: 'Whether all conditions must hold or any of them: all or any.' }),
    ),
  }),
  // The keys of the `indexer` block belong to the engine, not to the indexer. The reference does not list them either.
  indexer: undefined,
};
