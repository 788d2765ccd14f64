import { renderPath } from '../lexing/path.ts';
import { ConfigError, describe } from '../tree/config-error.ts';
import type { ConfigNode, ObjectNode } from '../tree/node.ts';
import { asBoolean, asInt, asItems, asLong, asNumber, asString } from './coerce.ts';
import type { PathLike } from './tree-path.ts';
import { elementsOf } from './tree-path.ts';
import type { Period } from './units.ts';
import { parseBytes, parseDuration, parsePeriod, UnitError } from './units.ts';

// All getters throw a ConfigError. Its kind is `Missing` or `Null` if there is no value, and `WrongType` if the value
// cannot be converted. It is `BadValue` if the text of the value cannot be parsed, and `BadPath` for an invalid path.

/** A type that a getter returns: its name in messages, the conversion of a node, and a hint on how to write it. */
interface Wanted<Value> {
  name: string;
  from(node: ConfigNode): Value | undefined;
  hint: string;
}

const STRING: Wanted<string> = { name: 'a string', from: asString, hint: 'write a string in double quotes' };
const BOOLEAN: Wanted<boolean> = {
  name: 'a boolean (true or false)',
  from: asBoolean,
  hint: 'write true or false; yes, on, no and off are also allowed',
};
const NUMBER: Wanted<number | bigint> = { name: 'a number', from: asNumber, hint: 'write a number, such as 10 or 1.5' };
const INT: Wanted<number> = {
  name: 'an integer of 32 bits',
  from: asInt,
  hint: 'write a whole number from -2147483648 to 2147483647',
};
const LONG: Wanted<bigint> = { name: 'an integer', from: asLong, hint: 'write a whole number' };
const LIST: Wanted<ConfigNode[]> = {
  name: 'a list',
  from: asItems,
  hint: 'write the values in brackets, as in [a, b]',
};
const OBJECT: Wanted<ObjectNode> = {
  name: 'an object',
  from: (node) => (node.kind === 'object' ? node : undefined),
  hint: 'write fields in braces, as in { key = value }',
};

/** Values with units, parsed from their text. */
const DURATION = { name: 'a duration', hint: 'write a number and a unit: ns, us, ms, s, m, h or d, as in "10 s"' };
const SIZE = { name: 'a size', hint: 'write a number and a unit: B, kB, MB, GB or KiB, MiB, GiB, as in "10 MiB"' };
const PERIOD = { name: 'a period', hint: 'write a whole number and a unit: d, w, m or y, as in "2 weeks"' };

/** Returns the value at a path. The value must exist and must not be null. */
function require(node: ConfigNode, path: PathLike, wanted: { name: string; hint: string }): [ConfigNode, string] {
  const elements = elementsOf(path);
  const name = renderPath(elements);
  let at = node;
  elements.forEach((key, i) => {
    if (at.kind !== 'object') throw unfit(name, renderPath(elements.slice(0, i)), at, OBJECT);
    const child = at.entries.get(key);
    if (child === undefined) {
      const { origin } = at;
      const message = `${name} is not set, but ${wanted.name} is needed`;
      const inside = origin.file === undefined ? '' : ` in ${origin.file}`;
      throw new ConfigError('Missing', name, message, { hint: `set ${name}${inside}: ${wanted.hint}` });
    }
    at = child;
  });
  if (at.kind === 'null') throw unfit(name, name, at, wanted);
  return [at, name];
}

/** Returns the error for a value of another type, or null, at the path or on the way to it. */
function unfit(path: string, at: string, node: ConfigNode, wanted: { name: string; hint: string }): ConfigError {
  const kind = node.kind === 'null' ? 'Null' : 'WrongType';
  const name = at === '' ? 'the value' : at;
  const { origin } = node;
  return new ConfigError(kind, path, `${name} is ${describe(node)}, but ${wanted.name} is needed`, {
    origin,
    hint: wanted.hint,
  });
}

function read<Value>(node: ConfigNode, path: PathLike, wanted: Wanted<Value>): Value {
  const [found, name] = require(node, path, wanted);
  const value = wanted.from(found);
  if (value === undefined) throw unfit(name, name, found, wanted);
  return value;
}

/** Returns a string. Numbers are returned as written, booleans as `true` and `false`. */
export function getString(node: ConfigNode, path: PathLike): string {
  return read(node, path, STRING);
}

/** Returns a boolean. The strings `true`, `yes`, `on`, `false`, `no` and `off` are allowed. */
export function getBoolean(node: ConfigNode, path: PathLike): boolean {
  return read(node, path, BOOLEAN);
}

/** Returns a number, also from a string that contains one. A `bigint` if a number would lose digits. */
export function getNumber(node: ConfigNode, path: PathLike): number | bigint {
  const value = read(node, path, NUMBER);
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Returns a 32-bit integer. Fractions are cut off. */
export function getInt(node: ConfigNode, path: PathLike): number {
  return read(node, path, INT);
}

/** Returns a 64-bit integer. Fractions are cut off, and larger values are limited to the range. */
export function getLong(node: ConfigNode, path: PathLike): bigint {
  return read(node, path, LONG);
}

/** Returns a floating-point number, also from an integer or a string. */
export function getDouble(node: ConfigNode, path: PathLike): number {
  return Number(read(node, path, NUMBER));
}

/** Returns the elements of a list. An object whose keys are indexes counts as a list. */
export function getList(node: ConfigNode, path: PathLike): ConfigNode[] {
  return read(node, path, LIST);
}

function readList<Value>(node: ConfigNode, path: PathLike, plural: string, element: Wanted<Value>): Value[] {
  const [found, name] = require(node, path, { name: `a list of ${plural}`, hint: LIST.hint });
  const items = asItems(found);
  if (items === undefined) throw unfit(name, name, found, { name: `a list of ${plural}`, hint: LIST.hint });
  return items.map((item, i) => {
    const value = element.from(item);
    if (value === undefined) {
      const message = `element ${i} of ${name} is ${describe(item)}, but ${name} is a list of ${plural}`;
      throw new ConfigError('WrongType', name, message, { origin: item.origin, hint: element.hint });
    }
    return value;
  });
}

/** Returns a list of strings, each converted as in {@link getString}. */
export function getStringList(node: ConfigNode, path: PathLike): string[] {
  return readList(node, path, 'strings', STRING);
}

/** Returns a list of integers, each converted as in {@link getInt}. */
export function getIntList(node: ConfigNode, path: PathLike): number[] {
  return readList(node, path, 'integers', INT);
}

/** Returns an object. */
export function getConfig(node: ConfigNode, path: PathLike): ObjectNode {
  return read(node, path, OBJECT);
}

/** Returns a list of objects. */
export function getConfigList(node: ConfigNode, path: PathLike): ObjectNode[] {
  return readList(node, path, 'objects', OBJECT);
}

/** Returns a duration such as `10 seconds` in whole milliseconds. A number without a unit is in milliseconds. */
export function getDuration(node: ConfigNode, path: PathLike): number {
  return Number(getDurationNanos(node, path) / 1_000_000n);
}

/** Returns a duration in nanoseconds. Larger values are limited to 64 bits. */
export function getDurationNanos(node: ConfigNode, path: PathLike): bigint {
  const [found, name] = require(node, path, DURATION);
  return withUnit(parseDuration, found, name, DURATION);
}

/** Returns a size such as `512 MiB` in bytes. A number without a unit is in bytes. */
export function getBytes(node: ConfigNode, path: PathLike): bigint {
  const [found, name] = require(node, path, SIZE);
  const plain = asLong(found);
  if (plain === undefined) return withUnit(parseBytes, found, name, SIZE);
  if (plain >= 0n) return plain;
  const message = `${name} is ${plain}, but a size cannot be negative`;
  throw new ConfigError('BadValue', name, message, { origin: found.origin, hint: SIZE.hint });
}

/** Returns a calendar period such as `2 weeks` or `1 y`. A number without a unit is in days. */
export function getPeriod(node: ConfigNode, path: PathLike): Period {
  const [found, name] = require(node, path, PERIOD);
  return withUnit(parsePeriod, found, name, PERIOD);
}

function withUnit<Value>(
  parse: (text: string) => Value,
  found: ConfigNode,
  name: string,
  wanted: { name: string; hint: string },
): Value {
  const text = asString(found);
  if (text === undefined) throw unfit(name, name, found, wanted);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    const message = `${name} is "${text}": ${error.message}`;
    throw new ConfigError('BadValue', name, message, { origin: found.origin, hint: wanted.hint });
  }
}
