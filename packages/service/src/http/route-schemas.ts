import { type TSchema, Type } from '@headrace/engine';
import { ProblemAnswer, RunDetailsAnswer } from '../runs/run-details.ts';
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
];

const MAX_PAGE = 1000;

/** How many items a page has when nothing is said. */
export const DEFAULT_PAGE = 100;

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: `Items of a page; ${DEFAULT_PAGE}` }),
  ),
  after: Type.Optional(Type.String({ maxLength: 300, description: 'The `next` of the page before' })),
};

/** A page of items; `next` is null on the last. */
export function pageOf(item: TSchema): TSchema {
  return Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) });
}

export const idParams = Type.Object({ id: Type.String({ minLength: 1 }) });

/** The longest id or preset name in a path: what a file name can be. */
export const MAX_ID_LENGTH = 255;

/** An answer without a body. */
export const Nothing = Type.Null({ description: 'No body' });

/** The answers of a route: the successes as given, everything else in the error shape. */
export function answers(successes: Record<number, TSchema>, ...refusals: number[]): Record<string, TSchema> {
  const error = Type.Ref('Error');
  return { ...successes, ...Object.fromEntries(refusals.map((status) => [status, error])), default: error };
}

export const problemList = Type.Array(Type.Ref('Problem'));
