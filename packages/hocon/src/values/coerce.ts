import { indexedItems } from '../merging/concatenate.ts';
import type { ConfigNode, ListNode } from '../tree/node.ts';
import { parseLong, saturate } from '../tree/number.ts';

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INT_MAX = 2147483647n;
const INT_MIN = -2147483648n;
const TRUE = new Set(['true', 'yes', 'on']);
const FALSE = new Set(['false', 'no', 'off']);

/** Returns a string, number (as written) or boolean as a string. */
export function asString(node: ConfigNode): string | undefined {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'number') return node.text;
  return node.kind === 'boolean' ? String(node.value) : undefined;
}

/** Returns a value as a number, also from a string that contains one. 64-bit integers are returned as `bigint`. */
export function asNumber(node: ConfigNode): number | bigint | undefined {
  if (node.kind === 'number') return node.float ? node.value : BigInt(node.value);
  if (node.kind !== 'string') return undefined;
  const long = parseLong(node.value);
  return long ?? parseDouble(node.value);
}

/** Returns a value as a 64-bit integer. Fractions are cut off, and larger values are limited to the range. */
export function asLong(node: ConfigNode): bigint | undefined {
  const value = asNumber(node);
  return typeof value === 'number' ? saturate(value) : value;
}

/** Returns a value as a 32-bit integer, or undefined if it is out of range. */
export function asInt(node: ConfigNode): number | undefined {
  const long = asLong(node);
  return long === undefined || long > INT_MAX || long < INT_MIN ? undefined : Number(long);
}

/** Parses a decimal floating-point number, `NaN` or `Infinity`. */
export function parseDouble(text: string): number | undefined {
  const trimmed = trimControls(text);
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const match = /^([+-]?)(NaN|Infinity)$/.exec(trimmed);
  return match === null ? undefined : Number(match[2]) * (match[1] === '-' ? -1 : 1);
}

/** Trims the characters that the reference trims off a number: all characters up to the space (U+0020). */
function trimControls(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 32) start++;
  while (start < end && text.charCodeAt(end - 1) <= 32) end--;
  return text.slice(start, end);
}

export function asBoolean(node: ConfigNode): boolean | undefined {
  if (node.kind === 'boolean') return node.value;
  if (node.kind !== 'string') return undefined;
  if (TRUE.has(node.value)) return true;
  return FALSE.has(node.value) ? false : undefined;
}

/** Returns a value as a list, also from an object whose keys are indexes. */
export function asItems(node: ConfigNode): ConfigNode[] | undefined {
  if (node.kind === 'list') return node.items;
  return node.kind === 'object' ? (indexedItems(node) as ListNode['items'] | undefined) : undefined;
}
