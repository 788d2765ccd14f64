import { STATUS_CODES } from 'node:http';
import { type TSchema, Type } from '@headrace/engine';
import { FailureAnswer } from '../api/failure.ts';
import { NoticeAnswer } from '../api/notice.ts';
import { StageTraceAnswer } from '../api/preview-answer.ts';
import { ProblemAnswer, RunDetailsAnswer } from '../api/run-details.ts';
import { ScheduleAnswer } from '../api/schedule.ts';
import { NUMBER_CURSOR } from '../requests/text-formats.ts';
import { MetricsAnswer } from '../stats/metrics-json.ts';
import { SystemStatsAnswer } from '../stats/system-stats.ts';
import { ComponentAnswer } from './component-answer.ts';
import { ErrorAnswer } from './error-answers.ts';

/** The schemas that endpoints share, with their names in the OpenAPI document. */
export const SHARED_SCHEMAS: readonly TSchema[] = [
  ErrorAnswer,
  ProblemAnswer,
  RunDetailsAnswer,
  ScheduleAnswer,
  ComponentAnswer,
  SystemStatsAnswer,
  MetricsAnswer,
  NoticeAnswer,
  StageTraceAnswer,
  FailureAnswer,
];

const MAX_PAGE = 1000;

/** The maximum number of a version or of a log line. */
export const MAX_NUMBER = 2 ** 31 - 1;

/** The default number of items in a page. */
export const DEFAULT_PAGE = 100;

/**
 * Returns the schema of a query. Unknown parameters are refused, because a misspelt filter would silently be ignored.
 */
export function queryOf<T extends Record<string, TSchema>>(parameters: T) {
  return Type.Object(parameters, { additionalProperties: false });
}

/** The parameters of a page whose cursors are numbers. */
export const pageQuery = pageQueryOf(NUMBER_CURSOR.pattern);

/**
 * Returns the parameters of a page.
 * @param cursor the pattern of `next`
 */
export function pageQueryOf(cursor: string) {
  return {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: `Items per page; default ${DEFAULT_PAGE}` }),
    ),
    after: Type.Optional(Type.String({ pattern: cursor, description: 'The `next` of the previous page' })),
  };
}

/** Returns the schema of a page of items. `next` is null on the last page. */
export function pageOf(item: TSchema): TSchema {
  return Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) });
}

export const runParams = Type.Object({ id: Type.String({ minLength: 1, description: 'The id of a run' }) });

export const configParams = Type.Object({
  id: Type.String({ minLength: 1, description: 'The id or name of a config, or the name of a preset' }),
});

/** Joins the paragraphs of a description for the OpenAPI document, in Markdown. */
export function paragraphs(...texts: string[]): string {
  return texts.join('\n\n');
}

/** An answer without a body. */
export const Nothing = Type.Null({ description: 'No body' });

/** Returns the answers of a route for its schema: the given successes, and all errors in the error format. */
export function answers(successes: Record<number, TSchema>, ...refusals: number[]): Record<string, unknown> {
  const content = { 'application/json': { schema: Type.Ref('Error') } };
  const errors = refusals.map((status) => [status, { description: STATUS_CODES[status], content }]);
  return { ...successes, ...Object.fromEntries(errors), default: { description: 'Any other refusal', content } };
}

export const problemList = Type.Array(Type.Ref('Problem'));
