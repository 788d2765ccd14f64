import { NOTICE_CLASSES, Type } from '@headrace/engine';

/** The number of cases of a code in all components. */
export const NoticeCount = Type.Object({
  code: Type.String(),
  class: Type.Enum([...NOTICE_CLASSES]),
  count: Type.Integer({ minimum: 1 }),
});

/** The cases of a notice in a component. */
export const NoticeAnswer = Type.Object(
  {
    code: Type.String({ description: 'A code of the page Notices, or `custom.NAME` of a custom component' }),
    class: Type.Enum([...NOTICE_CLASSES], {
      description:
        '`loss`: data of the source is not in the destination; `changed`: a value is not the value of the source; `suspect`: a setting is probably wrong',
    }),
    meaning: Type.Optional(Type.String({ description: 'What happened; absent for custom codes' })),
    component: Type.String({ description: 'The name of the connector or the stage, or the class of the indexer' }),
    pipeline: Type.Optional(Type.String({ description: 'The pipeline of a stage' })),
    count: Type.Integer({ minimum: 1, description: 'The number of cases' }),
    examples: Type.Array(
      Type.Object({
        document: Type.Optional(Type.String()),
        file: Type.Optional(Type.String()),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
        field: Type.Optional(Type.String()),
        value: Type.Optional(Type.String({ description: 'The first 100 characters' })),
        hint: Type.Optional(Type.String()),
      }),
      { description: 'The first cases, at most 5' },
    ),
    ignored: Type.Optional(Type.Literal(true, { description: '`runner.notices` says to ignore it' })),
  },
  { $id: 'Notice', description: 'What a component skipped, changed or guessed in the data without failing a document' },
);
