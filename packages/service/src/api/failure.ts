import { Type } from '@headrace/engine';

/** A failed document of a run. */
export const FailureAnswer = Type.Object(
  {
    id: Type.String({ description: 'The id of the document, or the position of a record that could not be read' }),
    connector: Type.String(),
    pipeline: Type.Optional(Type.String()),
    at: Type.String({ description: 'The stage on which it failed, `indexer`, `connector` or `pipeline`' }),
    code: Type.String(),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer({ description: 'The HTTP status from the search engine for this document' })),
    processed: Type.Boolean({ description: 'Whether `document` is the text that was sent to the indexer' }),
    document: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
        description: 'The document from the connector. If `processed` is true: the text for the indexer',
      }),
    ),
    binaryFields: Type.Optional(
      Type.Array(Type.String(), { description: 'The fields whose texts are bytes in base64' }),
    ),
    encoding: Type.Optional(Type.String({ description: 'The encoding of a processed document' })),
    omitted: Type.Optional(
      Type.String({
        description:
          'Why `document` is absent: it has more than 1 MiB, the run has used its 64 MiB, later failures of any run replaced it (`limits.maxFailureBytes`), or the indexer writes a stream',
      }),
    ),
  },
  {
    $id: 'Failure',
    description: 'A failed document of a run. Failures as lines of a file are the input of `headrace run --retry`',
  },
);
