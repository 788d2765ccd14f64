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
      Type.Number({ description: 'How long the stage worked on the document; absent if it was not called' }),
    ),
    document: Type.Optional(JsonDocument),
    unchanged: Type.Optional(Type.Literal(true, { description: 'The document is unchanged' })),
    skipped: Type.Optional(Type.Literal('condition', { description: 'The document does not meet the conditions' })),
    dropped: Type.Optional(Type.Literal(true, { description: 'Later stages do not get the document' })),
    skipsRest: Type.Optional(Type.Literal(true, { description: 'The document skips the later stages' })),
    failure: Type.Optional(StageFailure),
    cut: Type.Optional(Type.Literal(true, { description: 'Omitted because the preview is too large' })),
    children: Type.Optional(
      Type.Array(Type.Object({ document: Type.Optional(JsonDocument), trace: Type.Array(Type.Ref('StageTrace')) })),
    ),
  },
  { $id: 'StageTrace' },
);
