import type { ComponentKind } from './catalog.ts';
import { OneOf, READS, type TObject, Type } from './schema.ts';

/** Operators of other languages, and the operator that each one means here. Used for hints. */
const OPERATORS_ELSEWHERE = {
  ...{ '=': 'must', '==': 'must', '===': 'must', equals: 'must', eq: 'must', in: 'must', exists: 'must' },
  ...{ '!=': 'must_not', '<>': 'must_not', not: 'must_not', ne: 'must_not' },
  ...{ lt: '<', lte: '<=', '=<': '<=', gt: '>', gte: '>=', '=>': '>=' },
  ...{ regex: 'matches', regexp: 'matches', match: 'matches', '=~': 'matches', '~': 'matches' },
};

/** The parameters of a condition of a stage. */
export const conditionParameters = Type.Object({
  fields: Type.Array(Type.String(), {
    description: 'The fields to check. With an empty list the condition is always true.',
  }),
  operator: OneOf(['must', 'must_not', '<', '<=', '>', '>=', 'matches'], {
    default: 'must',
    meant: OPERATORS_ELSEWHERE,
    description:
      'must: at least one field has one of the values; without values, all fields are present. must_not: no field has one of the values; without values, all fields are absent. <, <=, >, >=: at least one field has a value for which this comparison with the number, date or text in values is true. matches: at least one field has a value that contains a match of a regular expression in values.',
  }),
  values: Type.Optional(
    Type.Array(Type.Unknown(), {
      javaType: 'java.util.List<java.lang.String>',
      description:
        'The values to match, compared as case-sensitive texts. For a comparison: one number, date or text. For matches: regular expressions.',
    }),
  ),
  valuesPath: Type.Optional(
    Type.String({
      description: 'A file with one value on each line, instead of values. The file is read once.',
      ...READS,
    }),
  ),
});

/** The keys of a group of conditions. A group has exactly one of these keys and no other key. */
export const GROUP_KEYS = ['and', 'or', 'not'] as const;

/** The keys that every component of a kind has in addition to its own parameters. */
export const commonParameters: Readonly<Record<ComponentKind, TObject | undefined>> = {
  connector: Type.Object({
    class: Type.Optional(Type.String({ description: 'The name of the connector.' })),
    name: Type.Optional(Type.String({ description: 'A unique name. Defaults to connector_<position>, from 1.' })),
    pipeline: Type.Optional(
      Type.String({
        description: 'The pipeline that processes the documents. A connector without a pipeline publishes nothing.',
      }),
    ),
    docIdPrefix: Type.String({ default: '', description: 'The prefix of every id that the connector creates.' }),
    collapse: Type.Boolean({
      default: false,
      description: 'Whether consecutive documents with the same id are merged into one document with all their values.',
    }),
  }),
  stage: Type.Object({
    class: Type.Optional(Type.String({ description: 'The name of the stage.' })),
    name: Type.Optional(
      Type.String({
        description: 'A unique name in the pipeline. Defaults to stage_<position> among the enabled stages, from 1.',
      }),
    ),
    enabled: Type.Boolean({
      default: true,
      description: 'Whether the stage is part of the pipeline. A disabled stage is checked too.',
    }),
    conditions: Type.Optional(
      Type.Array(conditionParameters, {
        description: 'Conditions on the document. If they are false, the document skips the stage.',
      }),
    ),
    conditionPolicy: Type.String({
      default: 'all',
      description: 'all: every condition must be true. any: at least one condition must be true.',
    }),
  }),
  // The engine reads the keys of the `indexer` block, not the indexer. The reference does not list these keys either.
  indexer: undefined,
};
