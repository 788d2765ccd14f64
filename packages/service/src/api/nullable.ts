import { type TSchema, Type } from '@headrace/engine';

/** Returns a schema that also accepts null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
