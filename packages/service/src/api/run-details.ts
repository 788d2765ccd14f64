import {
  CONNECTOR_COUNTERS,
  INDEXER_COUNTERS,
  type Notice,
  OUTCOME_COUNTERS,
  type Problem,
  RUN_COUNTERS,
  STAGE_COUNTERS,
  type Static,
  Type,
} from '@headrace/engine';
import { counterFields } from './counter-fields.ts';
import { NoticeCount } from './notice.ts';
import { nullable } from './nullable.ts';
import { OVERLAPS } from './overlap.ts';

/** A problem of a config or a run. The position fields are absent if the position is unknown. */
export const ProblemAnswer = Type.Object(
  {
    severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
    code: Type.String(),
    path: Type.String({ description: 'The path in the config; empty for the whole config' }),
    file: Type.Optional(Type.String({ description: 'The included file that contains the text' })),
    line: Type.Optional(
      Type.Integer({ minimum: 1, description: 'In the text as it was sent; for a config inside a body, in the body' }),
    ),
    column: Type.Optional(Type.Integer({ minimum: 1 })),
    component: Type.Optional(Type.String({ description: 'Such as `ParseDate (dates)`' })),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
  },
  { $id: 'Problem', description: 'A problem of a config or a run. Unknown positions are absent' },
);

const RUN_STATES = ['QUEUED', 'RUNNING', 'STOPPING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'] as const;

export const RunStateAnswer = Type.Enum([...RUN_STATES]);

export const MAX_LABELS = 100;

/** The labels of a run. A key must not contain a colon, because queries separate key and value by a colon. */
export const Labels = Type.Record(Type.String({ pattern: '^[^:]{1,100}$' }), Type.String({ maxLength: 1000 }), {
  maxProperties: MAX_LABELS,
  additionalProperties: false,
  description: 'Texts by name. A name must not contain a colon',
});

const RUN_DESCRIPTION = `The details of a run. Times are in seconds since the epoch. \`status\` is one of these:

- \`QUEUED\`: waits for a free place
- \`RUNNING\`
- \`STOPPING\`: finishes its open documents
- \`SUCCEEDED\`: every connector finished; some documents may have failed, but not all
- \`FAILED\`: \`runResult.problems\` has the reasons
- \`CANCELLED\`: a user cancelled it
- \`INTERRUPTED\`: the service ended while it waited or ran`;

/** The details of a run. Times are in seconds since the epoch, with a fraction. */
export const RunDetailsAnswer = Type.Object(
  {
    runId: Type.String(),
    configId: Type.String({ description: '`inline` when the config came with the request' }),
    configName: nullable(Type.String({ description: 'The name of the config at the time of the request' })),
    configVersion: nullable(
      Type.Integer({ minimum: 1, description: 'Null for a preset, and for a config that came with the request' }),
    ),
    startTime: Type.Number({ description: 'When the run was requested' }),
    endTime: nullable(
      Type.Number({ description: 'Null until the run is done. For an interrupted run: the time of its last progress' }),
    ),
    runResult: nullable(
      Type.Object(
        {
          status: Type.Boolean({ description: 'Whether the run succeeded; some documents may have failed' }),
          message: Type.String({ description: 'The run summary, and why it failed' }),
          runId: Type.String(),
          history: Type.Null(),
          problems: Type.Array(Type.Ref('Problem')),
          connectors: Type.Array(
            Type.Object({
              name: Type.String(),
              status: Type.String(),
              ...counterFields(OUTCOME_COUNTERS),
              seconds: Type.Number(),
            }),
          ),
          checks: Type.Optional(
            Type.Array(
              Type.Object({
                name: Type.String({ description: 'What was checked, such as `documents` or `required title`' }),
                outcome: Type.Enum(['passed', 'failed', 'not run']),
                found: Type.String({ description: 'What was found, or why the check did not run' }),
                expected: Type.String(),
              }),
              { description: 'The checks of the output before it was put into use; absent if there were none' },
            ),
          ),
          notices: Type.Optional(
            Type.Array(Type.Ref('Notice'), {
              description: 'What components skipped, changed or guessed in the data; absent if there is nothing',
            }),
          ),
          replaced: Type.Optional(
            Type.String({ description: 'The previous index, which a rollback of this run puts into use again' }),
          ),
        },
        { description: 'Null until the run is done' },
      ),
    ),
    runType: Type.Literal('LOCAL'),
    done: Type.Boolean({ description: 'Whether the run is SUCCEEDED, FAILED, CANCELLED or INTERRUPTED' }),
    status: RunStateAnswer,
    queuePosition: Type.Optional(Type.Integer({ minimum: 1, description: 'If the run is QUEUED; 1 is the next' })),
    progress: Type.Object({
      waiting: Type.Optional(
        Type.String({
          description:
            'For which run with the same destination the run waits, and why; absent if it does not wait. It then takes no place of `maxConcurrentRuns`',
        }),
      ),
      ...counterFields(RUN_COUNTERS),
      pending: Type.Integer({ description: 'Unfinished documents' }),
      docsPerSecond: Type.Number({
        description: 'The current rate while the run is running, the average when it is done',
      }),
      notices: Type.Optional(
        Type.Array(NoticeCount, {
          description:
            'The notices so far, by code; `runResult.notices` has the components and examples; absent if there is nothing',
        }),
      ),
      connectors: Type.Array(
        Type.Object({
          name: Type.String(),
          status: Type.String({ description: 'waiting, running, complete, failed, stopped or skipped' }),
          ...counterFields(CONNECTOR_COUNTERS),
          seconds: Type.Number(),
        }),
        { description: 'The first 1000 connectors' },
      ),
      moreConnectors: Type.Optional(Type.Integer({ description: 'The number of further connectors' })),
      stages: Type.Array(
        Type.Object({
          connector: Type.String(),
          pipeline: Type.String(),
          stage: Type.String(),
          class: Type.String(),
          ...counterFields(STAGE_COUNTERS),
          meanMillis: Type.Number({ description: 'Mean time per document, from a sample, including waiting' }),
        }),
        { description: 'The stages of the connectors that have started; the first 1000' },
      ),
      indexing: Type.Optional(
        Type.Object(
          {
            type: Type.String({ description: 'The type of the indexer' }),
            ...counterFields(INDEXER_COUNTERS),
          },
          { description: 'The work of the indexer; absent until the run has an indexer' },
        ),
      ),
    }),
    configDigest: Type.String({ description: 'SHA-256 of the config with overrides, with secrets masked' }),
    overrides: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The overrides of the config; secrets are masked' }),
    ),
    retryOf: Type.Optional(Type.String({ description: 'The run whose failed documents this run processes again' })),
    retryGroup: Type.Optional(
      Type.String({ description: 'The group of failed documents, if the retry is of one group' }),
    ),
    retriedBy: Type.Optional(
      Type.String({ description: 'The last run that processed the failed documents of this run again' }),
    ),
    rolledBack: Type.Optional(
      Type.Object(
        {
          time: Type.Number(),
          requestedBy: nullable(Type.String()),
          message: Type.String({ description: 'What changed' }),
        },
        { description: 'The rollback of this run; absent if there was none' },
      ),
    ),
    overlap: Type.Enum([...OVERLAPS], { description: 'What to do if another run of the config is active' }),
    requestedBy: nullable(Type.String({ description: 'The user; null without users' })),
    requestId: Type.Optional(Type.String({ description: 'The id of the request that started the run' })),
    scheduledTime: Type.Optional(
      Type.Number({ description: 'The time of the schedule that started the run; `requestedBy` has set the schedule' }),
    ),
    labels: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'RunDetails', description: RUN_DESCRIPTION },
);

/** The details of a run in the format of the API. */
export type RunDetails = Omit<Static<typeof RunDetailsAnswer>, 'runResult' | 'status'> & {
  status: (typeof RUN_STATES)[number];
  runResult:
    | null
    | (Omit<NonNullable<Static<typeof RunDetailsAnswer>['runResult']>, 'problems' | 'notices'> & {
        problems: Problem[];
        notices?: readonly Notice[];
      });
};
