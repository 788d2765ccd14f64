import { asBoolean, asItems, asNumber, asString } from './coerce.ts';
import { ConfigError, describe } from './config-error.ts';
import type { ConfigNode, ObjectNode } from './node.ts';
import { saturate } from './number.ts';
import { PathError, parsePath, renderPath } from './path.ts';
import { parseBytes, parseDuration, UnitError } from './units.ts';

/** A path expression, such as `a."b.c"`, or the elements of a path. */
export type PathLike = string | readonly string[];

const INT_MAX = 2147483647n;
const INT_MIN = -2147483648n;

/** The elements of a path.
 *
 * @throws ConfigError of kind `BadPath`
 */
export function elementsOf(path: PathLike): readonly string[] {
  if (typeof path !== 'string') return path;
  try {
    return parsePath(path);
  } catch (error) {
    if (error instanceof PathError) throw new ConfigError('BadPath', path, error.message);
    throw error;
  }
}

/**
 * The value at a path, an expression or its elements. Undefined when nothing is there; a null value is there.
 *
 * @throws ConfigError of kind `BadPath`
 */
export function getPath(node: ConfigNode, path: PathLike): ConfigNode | undefined {
  let at: ConfigNode | undefined = node;
  for (const key of elementsOf(path)) {
    if (at?.kind !== 'object') return undefined;
    at = at.entries.get(key);
  }
  return at;
}

/** Whether a value other than null is at a path. */
export function hasPath(node: ConfigNode, path: PathLike): boolean {
  const found = getPath(node, path);
  return found !== undefined && found.kind !== 'null';
}

/** The rendered paths of all leaves, lists included. Nulls and empty objects have none. */
export function entryPaths(node: ObjectNode): string[] {
  const paths: string[] = [];
  const work: { node: ConfigNode; path: string[] }[] = [{ node, path: [] }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { node: at, path } = next;
    if (at.kind === 'object') for (const [key, child] of at.entries) work.push({ node: child, path: [...path, key] });
    else if (at.kind !== 'null') paths.push(renderPath(path));
  }
  return paths.sort();
}

/** The value at a path, which must be there and not null. */
function require(node: ConfigNode, path: PathLike, wanted: string): { found: ConfigNode; name: string } {
  const elements = elementsOf(path);
  const name = renderPath(elements);
  let at = node;
  elements.forEach((key, i) => {
    const here = renderPath(elements.slice(0, i));
    if (at.kind === 'null') throw new ConfigError('Null', name, `${here} is null, but an object is needed`, at.origin);
    if (at.kind !== 'object') throw wrongType(here, at, 'an object');
    const child = at.entries.get(key);
    if (child === undefined) throw new ConfigError('Missing', name, `${name} is not set, but ${wanted} is needed`);
    at = child;
  });
  if (at.kind === 'null') throw new ConfigError('Null', name, `${name} is null, but ${wanted} is needed`, at.origin);
  return { found: at, name };
}

function wrongType(name: string, node: ConfigNode, wanted: string): ConfigError {
  return new ConfigError('WrongType', name, `${name} is ${describe(node)}, but ${wanted} is needed`, node.origin);
}

/** Reads a value with a coercion that gives undefined for the wrong type. */
function read<Value>(
  node: ConfigNode,
  path: PathLike,
  wanted: string,
  as: (node: ConfigNode) => Value | undefined,
): Value {
  const { found, name } = require(node, path, wanted);
  const value = as(found);
  if (value === undefined) throw wrongType(name, found, wanted);
  return value;
}

/** A string; numbers come as they were written, booleans as `true` and `false`. */
export function getString(node: ConfigNode, path: PathLike): string {
  return read(node, path, 'a string', asString);
}

/** A boolean; the strings `true`, `yes`, `on`, `false`, `no`, `off` count. */
export function getBoolean(node: ConfigNode, path: PathLike): boolean {
  return read(node, path, 'a boolean (true or false)', asBoolean);
}

/** A number, or a string that holds one. `bigint` where a number would lose digits. */
export function getNumber(node: ConfigNode, path: PathLike): number | bigint {
  const value = read(node, path, 'a number', asNumber);
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function asLong(node: ConfigNode): bigint | undefined {
  const value = asNumber(node);
  return typeof value === 'number' ? saturate(value) : value;
}

function asInt(node: ConfigNode): number | undefined {
  const long = asLong(node);
  return long === undefined || long > INT_MAX || long < INT_MIN ? undefined : Number(long);
}

/** An integer of 32 bits; fractions are cut off. */
export function getInt(node: ConfigNode, path: PathLike): number {
  return read(node, path, 'an integer of 32 bits', asInt);
}

/** An integer of 64 bits; fractions are cut off, larger values saturate. */
export function getLong(node: ConfigNode, path: PathLike): bigint {
  return read(node, path, 'an integer', asLong);
}

export function getDouble(node: ConfigNode, path: PathLike): number {
  return read(node, path, 'a number', (found) => {
    const value = asNumber(found);
    return value === undefined ? undefined : Number(value);
  });
}

/** The elements of a list; an object whose keys are indexes counts as one. */
export function getList(node: ConfigNode, path: PathLike): ConfigNode[] {
  return read(node, path, 'a list', asItems);
}

function readList<Value>(
  node: ConfigNode,
  path: PathLike,
  wanted: string,
  as: (node: ConfigNode) => Value | undefined,
): Value[] {
  const { found, name } = require(node, path, `a list of ${wanted}`);
  const items = asItems(found);
  if (items === undefined) throw wrongType(name, found, `a list of ${wanted}`);
  return items.map((item, i) => {
    const value = as(item);
    if (value === undefined) {
      const message = `element ${i} of ${name} is ${describe(item)}, but ${name} is a list of ${wanted}`;
      throw new ConfigError('WrongType', name, message, item.origin);
    }
    return value;
  });
}

export function getStringList(node: ConfigNode, path: PathLike): string[] {
  return readList(node, path, 'strings', asString);
}

export function getIntList(node: ConfigNode, path: PathLike): number[] {
  return readList(node, path, 'integers', asInt);
}

const asObject = (node: ConfigNode) => (node.kind === 'object' ? node : undefined);

export function getConfig(node: ConfigNode, path: PathLike): ObjectNode {
  return read(node, path, 'an object', asObject);
}

export function getConfigList(node: ConfigNode, path: PathLike): ObjectNode[] {
  return readList(node, path, 'objects', asObject);
}

/** A duration in whole milliseconds, as in `10 seconds`; a bare number is in milliseconds. */
export function getDuration(node: ConfigNode, path: PathLike): number {
  return Number(getDurationNanos(node, path) / 1_000_000n);
}

/** A duration in nanoseconds. */
export function getDurationNanos(node: ConfigNode, path: PathLike): bigint {
  const wanted = 'a duration, such as "10 seconds",';
  const { found, name } = require(node, path, wanted);
  const text = asString(found);
  if (text === undefined) throw wrongType(name, found, wanted);
  return withUnit(parseDuration, text, found, name);
}

/** A size in bytes, as in `512 MiB`; a bare number is in bytes. */
export function getBytes(node: ConfigNode, path: PathLike): bigint {
  const wanted = 'a size, such as "10 MiB",';
  const { found, name } = require(node, path, wanted);
  const plain = asLong(found);
  if (plain !== undefined) {
    if (plain >= 0n) return plain;
    throw new ConfigError('BadValue', name, `${name} is ${plain}, but a size cannot be negative`, found.origin);
  }
  const text = asString(found);
  if (text === undefined) throw wrongType(name, found, wanted);
  return withUnit(parseBytes, text, found, name);
}

function withUnit(parse: (text: string) => bigint, text: string, found: ConfigNode, name: string): bigint {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof UnitError)
      throw new ConfigError('BadValue', name, `${name} is "${text}": ${error.message}`, found.origin);
    throw error;
  }
}
