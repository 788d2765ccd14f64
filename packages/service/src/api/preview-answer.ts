import { Type } from '@headrace/engine';

export const JsonDocument = Type.Record(Type.String(), Type.Unknown());

/** Why a stage failed. */
export const StageFailure = Type.Object({
  code: Type.String(),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
});

/** A line that a stage logged. */
export const LogLine = Type.Object({
  level: Type.Union(['debug', 'info', 'warn', 'error'].map((level) => Type.Literal(level))),
  stage: Type.String({ description: 'Empty when the preview itself says it' }),
  message: Type.String(),
});

/** What a stage did to a document; in `children` what later stages did to those that it emitted. */
export const StageTraceAnswer = Type.Object(
  {
    stage: Type.String(),
    class: Type.String(),
    document: Type.Optional(JsonDocument),
    unchanged: Type.Optional(Type.Literal(true, { description: 'The document is as it was before' })),
    skipped: Type.Optional(Type.Literal('condition', { description: 'The document does not meet the conditions' })),
    dropped: Type.Optional(Type.Literal(true, { description: 'The document goes no further' })),
    skipsRest: Type.Optional(Type.Literal(true, { description: 'The document passes the later stages' })),
    failure: Type.Optional(StageFailure),
    cut: Type.Optional(Type.Literal(true, { description: 'The preview shows so much that there is no room for it' })),
    children: Type.Optional(
      Type.Array(Type.Object({ document: Type.Optional(JsonDocument), trace: Type.Array(Type.Ref('StageTrace')) })),
    ),
  },
  { $id: 'StageTrace' },
);
