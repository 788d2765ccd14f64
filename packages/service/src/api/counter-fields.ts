import { type Counter, namesOf, Type } from '@headrace/engine';

type CountSchema = ReturnType<typeof Type.Integer>;

/** Returns the fields of an answer for the counters of a table. Only times may have a fraction. */
export function counterFields<T extends Record<string, Counter>>(table: T): Record<keyof T & string, CountSchema> {
  const fields = namesOf(table).map((name) => {
    const { unit, description } = table[name] as Counter;
    return [name, unit === 'seconds' ? Type.Number({ description }) : Type.Integer({ description })];
  });
  return Object.fromEntries(fields) as Record<keyof T & string, CountSchema>;
}
