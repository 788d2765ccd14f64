import { type TSchema, Type } from '@headrace/engine';

/** The schema of a value that may be null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
