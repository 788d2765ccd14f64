import { type ConfigNode, type PlainValue, parse, render, toValue } from '@headrace/hocon';
import type { Parameter } from '../config/config-knowledge.ts';

/** The value of an input. `value` is undefined if the parameter is not set. */
export interface ParsedInput {
  readonly value?: PlainValue;
  readonly mistake?: string;
}

type Typed = Pick<Parameter, 'type'>;

/** Returns the text that an input shows for a value. A list of texts has one per line, other structures are JSON. */
export function shownValue({ type }: Typed, node: ConfigNode | undefined): string {
  if (node === undefined) return '';
  const value = toValue(node);
  if (type === 'list' && Array.isArray(value) && value.every((item) => typeof item === 'string' && isOneLine(item))) {
    return value.join('\n');
  }
  // Unlike `JSON.stringify`, this keeps all digits of a number.
  return typeof value === 'string' ? value : node.kind === 'number' ? node.text : render(node);
}

/** Returns the value of a text that a user entered. An empty text means that the parameter is not set. */
export function parseInput({ type }: Typed, text: string): ParsedInput {
  const trimmed = text.trim();
  if (trimmed === '') return {};
  switch (type) {
    case 'boolean':
      return { value: trimmed === 'true' };
    case 'number': {
      // Long integers keep all their digits.
      if (/^-?\d{16,}$/.test(trimmed)) return { value: BigInt(trimmed) };
      const value = Number(trimmed);
      return Number.isFinite(value) ? { value } : { mistake: 'This is not a number.' };
    }
    case 'list':
      return /^\[/.test(trimmed) ? parseJson(trimmed) : { value: trimmed.split('\n').map((line) => line.trim()) };
    case 'object':
      return parseJson(trimmed);
    case 'any':
      return /^[[{"]/.test(trimmed) ? parseJson(trimmed) : { value: trimmed };
    default:
      return { value: text };
  }
}

function parseJson(text: string): ParsedInput {
  try {
    JSON.parse(text);
  } catch (error) {
    return { mistake: `This is not JSON: ${(error as Error).message}` };
  }
  // This parser keeps all digits of a number.
  const node = parse(`{"value":${text}}`, { format: 'json' }).root.entries.get('value');
  return node === undefined ? {} : { value: toValue(node) };
}

/** A line that starts with a bracket would be read as JSON. */
function isOneLine(text: string): boolean {
  return text !== '' && text.trim() === text && !/[\n\r]|^\[/.test(text);
}
