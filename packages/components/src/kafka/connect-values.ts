import type { JsonObject, Value } from '@headrace/engine';
import { bytesOfBase64, dateOf, decimalOf, instantOf, timeOf } from './logical-values.ts';

/** The largest scale of decimals. Java's is larger, but a text of that many zeros could fill the memory. */
const MAX_SCALE = 10_000;

/** Reads a value whose type has a name of Kafka Connect or Debezium. */
type NamedReader = (value: Value, parameters: JsonObject | undefined) => Value;

/**
 * The types of Kafka Connect and Debezium whose values are numbers or bytes, by their names in schemas. All others are
 * as they look: texts, numbers and objects.
 */
const NAMED: Readonly<Record<string, NamedReader>> = {
  'org.apache.kafka.connect.data.Date': dateOf,
  'org.apache.kafka.connect.data.Time': (value) => timeOf(value, 'millis'),
  'org.apache.kafka.connect.data.Timestamp': (value) => instantOf(value, 'millis', 'Z'),
  'org.apache.kafka.connect.data.Decimal': (value, parameters) => decimal(value, Number(parameters?.get('scale'))),
  'io.debezium.time.Date': dateOf,
  'io.debezium.time.Time': (value) => timeOf(value, 'millis'),
  'io.debezium.time.MicroTime': (value) => timeOf(value, 'micros'),
  'io.debezium.time.NanoTime': (value) => timeOf(value, 'nanos'),
  'io.debezium.time.Timestamp': (value) => instantOf(value, 'millis', 'Z'),
  'io.debezium.time.MicroTimestamp': (value) => instantOf(value, 'micros', 'Z'),
  'io.debezium.time.NanoTimestamp': (value) => instantOf(value, 'nanos', 'Z'),
  'io.debezium.data.VariableScaleDecimal': (value) =>
    value instanceof Map ? decimal(value.get('value') ?? null, Number(value.get('scale'))) : value,
};

/** Returns the reader of a named type. Returns undefined for other names. */
export function namedReader(name: unknown): NamedReader | undefined {
  return typeof name === 'string' && Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
}

/** Returns a value of Kafka Connect's JSON by its schema: times, dates and decimals as texts and numbers. */
export function connectValue(value: Value, schema: Value | undefined): Value {
  if (value === null || !(schema instanceof Map)) return value;
  const named = namedReader(schema.get('name'));
  if (named !== undefined) {
    const parameters = schema.get('parameters');
    return named(value, parameters instanceof Map ? parameters : undefined);
  }
  const fields = schema.get('fields');
  if (value instanceof Map && Array.isArray(fields)) {
    for (const field of fields) {
      if (!(field instanceof Map)) continue;
      const name = field.get('field');
      const member = typeof name === 'string' ? value.get(name) : undefined;
      if (member !== undefined) value.set(name as string, connectValue(member, field));
    }
    return value;
  }
  const items = schema.get('items');
  if (Array.isArray(value) && items !== undefined) return value.map((item) => connectValue(item, items));
  const values = schema.get('values');
  if (value instanceof Map && values !== undefined) {
    for (const [key, member] of value) value.set(key, connectValue(member, values));
  }
  return value;
}

/** Connect writes decimals in base64, unless its `decimal.format` is NUMERIC. */
function decimal(value: Value, scale: number): Value {
  const bytes = typeof value === 'string' ? bytesOfBase64(value) : value;
  return bytes instanceof Uint8Array && Number.isInteger(scale) && Math.abs(scale) <= MAX_SCALE
    ? decimalOf(bytes, scale)
    : value;
}
