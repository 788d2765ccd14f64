import { Type } from '@headrace/engine';

export const JsonDocument = Type.Record(Type.String(), Type.Unknown());

/** The reason why a stage failed. */
export const StageFailure = Type.Object({
  code: Type.String(),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
});

/** A log line of a stage. */
export const LogLine = Type.Object({
  level: Type.Union(['debug', 'info', 'warn', 'error'].map((level) => Type.Literal(level))),
  stage: Type.String({ description: 'Empty for messages of the preview itself' }),
  message: Type.String(),
});

/**
 * The effect of a stage on a document. `children` contains the child documents that the stage emitted, each with its
 * trace through the later stages.
 */
export const StageTraceAnswer = Type.Object(
  {
    stage: Type.String(),
    class: Type.String(),
    millis: Type.Optional(
      Type.Number({
        description: 'How long the stage worked on the document, without the later stages; absent if it was not called',
      }),
    ),
    document: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The document after the stage, if it has changed' }),
    ),
    unchanged: Type.Optional(Type.Literal(true, { description: 'The document is unchanged' })),
    skipped: Type.Optional(Type.Literal('condition', { description: 'The document does not meet the conditions' })),
    dropped: Type.Optional(Type.Literal(true, { description: 'The stage dropped the document. The trace ends here' })),
    skipsRest: Type.Optional(
      Type.Literal(true, { description: 'The document skips the later stages. The trace ends here' }),
    ),
    failure: Type.Optional(StageFailure),
    cut: Type.Optional(
      Type.Literal(true, { description: 'The preview already shows 16 MiB of documents, so this document is omitted' }),
    ),
    children: Type.Optional(
      Type.Array(Type.Object({ document: Type.Optional(JsonDocument), trace: Type.Array(Type.Ref('StageTrace')) }), {
        description: 'The documents that the stage emitted, each with its trace through the later stages',
      }),
    ),
  },
  { $id: 'StageTrace', description: 'The effect of a stage on a document' },
);
