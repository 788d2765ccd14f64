import { type Problem, type Static, Type } from '@headrace/engine';

const nullable = <T extends Parameters<typeof Type.Array>[0]>(schema: T) => Type.Union([schema, Type.Null()]);

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

export const Labels = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }), {
  maxProperties: 100,
});

/** Times are seconds since the epoch, with a fraction. */
export const RunDetailsAnswer = Type.Object(
  {
    runId: Type.String(),
    configId: Type.String(),
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
    progress: Type.Object({
      published: Type.Integer(),
      created: Type.Integer({ description: 'Children that stages emitted' }),
      pending: Type.Integer(),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      dropped: Type.Integer(),
      docsPerSecond: Type.Number({ description: 'Lately while it goes, on the whole when it is done' }),
      connectors: Type.Array(Type.Object({ name: Type.String(), status: Type.String() })),
    }),
    configDigest: Type.String({ description: 'SHA-256 of the config as GET /v1/config/{id} answers it' }),
    requestedBy: nullable(Type.String()),
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
