import { STATUS_CODES } from 'node:http';
import { type TSchema, Type } from '@headrace/engine';
import { StageTraceAnswer } from '../api/preview-answer.ts';
import { ProblemAnswer, RunDetailsAnswer } from '../api/run-details.ts';
import { NUMBER_CURSOR } from '../requests/text-formats.ts';
import { MetricsAnswer } from '../stats/metrics-json.ts';
import { SystemStatsAnswer } from '../stats/system-stats.ts';
import { ComponentAnswer } from './component-answer.ts';
import { ErrorAnswer } from './error-answers.ts';

/** Schemas that endpoints share, by the name under which the OpenAPI document has them. */
export const SHARED_SCHEMAS: readonly TSchema[] = [
  ErrorAnswer,
  ProblemAnswer,
  RunDetailsAnswer,
  ComponentAnswer,
  SystemStatsAnswer,
  MetricsAnswer,
  StageTraceAnswer,
];

const MAX_PAGE = 1000;

/** The largest number of a version, or of a line in a log. */
export const MAX_NUMBER = 2 ** 31 - 1;

/** How many items a page has when nothing is said. */
export const DEFAULT_PAGE = 100;

/** The parameters of a query. Another one is refused: misspelt, a filter or a check would silently be left out. */
export function queryOf(parameters: Record<string, TSchema>): TSchema {
  return Type.Object(parameters, { additionalProperties: false });
}

/** The parameters of a page whose places are numbers. */
export const pageQuery = pageQueryOf(NUMBER_CURSOR.pattern);

/** @param cursor the pattern of `next` */
export function pageQueryOf(cursor: string) {
  return {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: `Items of a page; ${DEFAULT_PAGE}` }),
    ),
    after: Type.Optional(Type.String({ pattern: cursor, description: 'The `next` of the page before' })),
  };
}

/** A page of items; `next` is null on the last. */
export function pageOf(item: TSchema): TSchema {
  return Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) });
}

export const idParams = Type.Object({ id: Type.String({ minLength: 1 }) });

/** An answer without a body. */
export const Nothing = Type.Null({ description: 'No body' });

/** The answers of a route, for its schema: the successes as given, everything else in the error shape. */
export function answers(successes: Record<number, TSchema>, ...refusals: number[]): Record<string, unknown> {
  const content = { 'application/json': { schema: Type.Ref('Error') } };
  const errors = refusals.map((status) => [status, { description: STATUS_CODES[status], content }]);
  return { ...successes, ...Object.fromEntries(errors), default: { description: 'Any other refusal', content } };
}

export const problemList = Type.Array(Type.Ref('Problem'));
