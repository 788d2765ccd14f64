import type { XmlNode } from '../xml-tree.ts';

/** The result of an expression. Nodes are in document order, without duplicates. */
export type XPathValue = readonly XmlNode[] | string | number | boolean;

export type XPathType = 'nodes' | 'string' | 'number' | 'boolean';

/** A compiled expression. Its type is known before evaluation, because there are no variables. */
export interface Expression {
  readonly type: XPathType;
  /** True if the result depends on the position or the number of the context nodes. */
  readonly positional: boolean;
  evaluate(node: XmlNode, position: number, size: number): XPathValue;
}

export function toText(value: XPathValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return value.length === 0 ? '' : (value[0] as XmlNode).text;
  return typeof value === 'number' ? numberText(value) : String(value);
}

export function toNumber(value: XPathValue): number {
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : parseNumber(toText(value));
}

export function toBoolean(value: XPathValue): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0 && !Number.isNaN(value);
  return value.length > 0;
}

const NUMBER = /^[ \t\r\n]*(-?(?:\d+(?:\.\d*)?|\.\d+))[ \t\r\n]*$/;

/** Parses a number in the notation of XPath: no plus sign, no exponent. Returns NaN for anything else. */
export function parseNumber(text: string): number {
  const match = NUMBER.exec(text);
  return match === null ? Number.NaN : Number(match[1]);
}

/** Returns a number as text with all digits, without an exponent. */
export function numberText(value: number): string {
  const text = String(value === 0 ? 0 : value);
  const exponent = text.indexOf('e');
  if (exponent < 0) return text;
  const sign = value < 0 ? '-' : '';
  const [whole, fraction = ''] = text.slice(sign.length, exponent).split('.') as [string, string?];
  const digits = whole + fraction;
  const point = whole.length + Number(text.slice(exponent + 1));
  return point > 0 ? sign + digits.padEnd(point, '0') : `${sign}0.${'0'.repeat(-point)}${digits}`;
}
