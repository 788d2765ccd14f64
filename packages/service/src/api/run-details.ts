import { type Problem, type Static, Type } from '@headrace/engine';
import { nullable } from './nullable.ts';
import { OVERLAPS } from './overlap.ts';

/** Something wrong with a config or a run, with its place where it has one. */
export const ProblemAnswer = Type.Object(
  {
    severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
    code: Type.String(),
    path: Type.String({ description: 'Where in the config; empty for the whole' }),
    file: Type.Optional(Type.String({ description: 'The included file that the text stands in' })),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    column: Type.Optional(Type.Integer({ minimum: 1 })),
    component: Type.Optional(Type.String()),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
  },
  { $id: 'Problem' },
);

const RUN_STATES = ['QUEUED', 'RUNNING', 'STOPPING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'] as const;

export const RunStateAnswer = Type.Enum([...RUN_STATES]);

export const MAX_LABELS = 100;

/** A query tells key and value apart by the colon. */
export const Labels = Type.Record(Type.String({ pattern: '^[^:]{1,100}$' }), Type.String({ maxLength: 1000 }), {
  maxProperties: MAX_LABELS,
  additionalProperties: false,
  description: 'Texts by name; no name has a colon',
});

/** Times are seconds since the epoch, with a fraction. */
export const RunDetailsAnswer = Type.Object(
  {
    runId: Type.String(),
    configId: Type.String({ description: '`inline` when the config came with the request' }),
    configName: nullable(Type.String({ description: 'The name of the config when the run was asked for' })),
    configVersion: nullable(
      Type.Integer({ minimum: 1, description: 'Null for a preset, and for a config of its own' }),
    ),
    startTime: Type.Number({ description: 'When the run was asked for' }),
    endTime: nullable(Type.Number()),
    runResult: nullable(
      Type.Object({
        status: Type.Boolean({ description: 'Whether it succeeded; documents may have failed' }),
        message: Type.String({ description: 'The run summary, and why it failed' }),
        runId: Type.String(),
        history: Type.Null(),
        problems: Type.Array(Type.Ref('Problem')),
        connectors: Type.Array(
          Type.Object({
            name: Type.String(),
            status: Type.String(),
            succeeded: Type.Integer(),
            failed: Type.Integer(),
            dropped: Type.Integer(),
            seconds: Type.Number(),
          }),
        ),
      }),
    ),
    runType: Type.Literal('LOCAL'),
    done: Type.Boolean(),
    status: RunStateAnswer,
    queuePosition: Type.Optional(Type.Integer({ minimum: 1, description: 'While it is QUEUED; 1 is the next' })),
    progress: Type.Object({
      published: Type.Integer(),
      created: Type.Integer({ description: 'Children that stages emitted' }),
      pending: Type.Integer(),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      dropped: Type.Integer(),
      docsPerSecond: Type.Number({ description: 'Lately while it goes, on the whole when it is done' }),
      connectors: Type.Array(
        Type.Object({
          name: Type.String(),
          status: Type.String({ description: 'waiting, running, complete, failed, stopped or skipped' }),
          published: Type.Integer(),
          succeeded: Type.Integer(),
          failed: Type.Integer(),
          dropped: Type.Integer(),
          seconds: Type.Number(),
        }),
        { description: 'The first 1000' },
      ),
      moreConnectors: Type.Optional(Type.Integer({ description: 'How many there are beside these 1000' })),
      stages: Type.Array(
        Type.Object({
          connector: Type.String(),
          pipeline: Type.String(),
          stage: Type.String(),
          class: Type.String(),
          processed: Type.Integer({ description: 'Documents that the stage was called with' }),
          failed: Type.Integer(),
          children: Type.Integer({ description: 'Children that it emitted' }),
          meanMillis: Type.Number({ description: 'Time for a document, by a sample; waiting included' }),
        }),
        { description: 'Those of the connectors that have begun; the first 1000' },
      ),
      indexing: Type.Optional(
        Type.Object(
          {
            type: Type.String({ description: 'Of the indexer' }),
            batches: Type.Integer({ description: 'Sent' }),
            inFlight: Type.Integer({ description: 'Batches that are being sent' }),
            documents: Type.Integer({ description: 'In these batches, those that failed included' }),
            failed: Type.Integer(),
            retries: Type.Integer({ description: 'Documents that were sent again, counted each time' }),
            seconds: Type.Number({ description: 'That sending took, each batch for itself' }),
          },
          { description: 'What the indexer does; absent until there is one' },
        ),
      ),
    }),
    configDigest: Type.String({ description: 'SHA-256 of the config, overrides included, as an answer shows it' }),
    overrides: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What was laid over the config; secrets are masked' }),
    ),
    retryOf: Type.Optional(Type.String({ description: 'The run whose failed documents it runs again' })),
    retriedBy: Type.Optional(Type.String({ description: 'The last run that ran its failed documents again' })),
    overlap: Type.Enum([...OVERLAPS], { description: 'What was to happen if another run of the config was there' }),
    requestedBy: nullable(Type.String()),
    requestId: Type.Optional(Type.String({ description: 'Of the request that asked for it' })),
    labels: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'RunDetails' },
);

/** What the service tells of a run. */
export type RunDetails = Omit<Static<typeof RunDetailsAnswer>, 'runResult' | 'status'> & {
  status: (typeof RUN_STATES)[number];
  runResult:
    | null
    | (Omit<NonNullable<Static<typeof RunDetailsAnswer>['runResult']>, 'problems'> & { problems: Problem[] });
};
