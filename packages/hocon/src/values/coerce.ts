import { indexedItems } from '../merging/concatenate.ts';
import type { ConfigNode, ListNode } from '../tree/node.ts';
import { parseLong, saturate } from '../tree/number.ts';

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INT_MAX = 2147483647n;
const INT_MIN = -2147483648n;
const TRUE = new Set(['true', 'yes', 'on']);
const FALSE = new Set(['false', 'no', 'off']);

/** A value as text: strings, numbers as written, booleans. */
export function asString(node: ConfigNode): string | undefined {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'number') return node.text;
  return node.kind === 'boolean' ? String(node.value) : undefined;
}

/** A value as a number; strings that contain one count. 64-bit integers are returned as `bigint`. */
export function asNumber(node: ConfigNode): number | bigint | undefined {
  if (node.kind === 'number') return node.float ? node.value : BigInt(node.value);
  if (node.kind !== 'string') return undefined;
  const long = parseLong(node.value);
  return long ?? parseDouble(node.value);
}

/** A value as an integer of 64 bits: fractions are cut off, larger values saturate. */
export function asLong(node: ConfigNode): bigint | undefined {
  const value = asNumber(node);
  return typeof value === 'number' ? saturate(value) : value;
}

/** A value as an integer of 32 bits. */
export function asInt(node: ConfigNode): number | undefined {
  const long = asLong(node);
  return long === undefined || long > INT_MAX || long < INT_MIN ? undefined : Number(long);
}

/** A decimal floating-point number, `NaN` or `Infinity`. */
export function parseDouble(text: string): number | undefined {
  const trimmed = trimControls(text);
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const match = /^([+-]?)(NaN|Infinity)$/.exec(trimmed);
  return match === null ? undefined : Number(match[2]) * (match[1] === '-' ? -1 : 1);
}

/** Trims what the reference trims off a number: all characters up to the space. */
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

/** A value as a list; an object whose keys are indexes counts. */
export function asItems(node: ConfigNode): ConfigNode[] | undefined {
  if (node.kind === 'list') return node.items;
  return node.kind === 'object' ? (indexedItems(node) as ListNode['items'] | undefined) : undefined;
}
