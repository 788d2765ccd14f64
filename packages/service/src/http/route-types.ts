import type { Static, TSchema } from '@headrace/engine';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';

declare const read: unique symbol;

/** The schema of a body that the route itself reads and checks, for the documentation. */
export interface OwnBody<T> {
  readonly [read]: T;
}

/** Marks the documented schema of a body that reaches the route as `T`. */
export function ownBody<T>(documented: object): OwnBody<T> {
  return documented as OwnBody<T>;
}

/** The types of the path, query, headers and body of a request: those of the schemas of its route. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends OwnBody<infer T>
    ? T | undefined
    : this['schema'] extends TSchema
      ? Static<this['schema']>
      : unknown;
  // Answers are JSON texts. Tests check them against the schemas.
  serializer: unknown;
}

/** The fastify instance to which the routes of the service are added. */
export type ServiceApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>;
