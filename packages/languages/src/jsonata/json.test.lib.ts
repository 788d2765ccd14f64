import type { JsonObject, Value } from './values.ts';

/** A whole double, as a caller may represent it. */
class Whole {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Reads JSON into the values of expressions: `1.0` and integers beyond 2^53 keep their kind. */
export function readJson(json: string): Value {
  const reviver = (_key: string, data: unknown, { source }: { source?: string } = {}): Value => {
    if (typeof data === 'number') return numberOf(data, source as string);
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return data as Value;
    return new Map(Object.entries(data)) as JsonObject;
  };
  return JSON.parse(json, reviver) as Value;
}

function numberOf(data: number, source: string): Value {
  if (Number.isSafeInteger(data)) return /[.e]/i.test(source) ? new Whole(data) : data;
  return /^-?\d+$/.test(source) ? BigInt(source) : data;
}

/** Returns the JSON of a value. */
export function writeValue(value: Value): string {
  if (value instanceof Whole) return value.value.toFixed(1);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${Array.from(value, ([key, member]) => `${JSON.stringify(key)}:${writeValue(member)}`).join(',')}}`;
}
