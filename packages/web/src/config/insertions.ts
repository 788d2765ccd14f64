import type { PlainValue, TextStyle } from '@headrace/hocon';
import type { Parameter } from './config-knowledge.ts';

/** New text, and the part of it that the user types next. */
export interface Insertion {
  readonly text: string;
  /** The part to select, as offsets in `text`. An empty part is a position. */
  readonly select: { readonly from: number; readonly to: number };
}

/** Returns a string as written in a text of this style. */
export function writtenString(value: string, { quotes }: Pick<TextStyle, 'quotes'>): string {
  const isPlain = /^[A-Za-z_][\w.-]*$/.test(value) && !/^(?:true|false|null|include)/.test(value);
  return isPlain && !quotes ? value : JSON.stringify(value);
}

/** Returns a key as written in a text of this style. */
export function writtenKey(key: string, { json }: Pick<TextStyle, 'json'>): string {
  return !json && /^[A-Za-z_][\w-]*$/.test(key) && key !== 'include' ? key : JSON.stringify(key);
}

/** Returns a new field of a parameter, with a value to be typed. */
export function fieldInsertion(parameter: Parameter, style: TextStyle): Insertion {
  const start = writtenKey(parameter.name, style) + style.separator;
  const value = valueInsertion(parameter, style);
  const { from, to } = value.select;
  return { text: start + value.text, select: { from: start.length + from, to: start.length + to } };
}

function valueInsertion({ type, choices, default: otherwise }: Parameter, style: TextStyle): Insertion {
  const at = (text: string, position: number) => ({ text, select: { from: position, to: position } });
  const selected = (text: string) => ({ text, select: { from: 0, to: text.length } });
  if (type === 'list') return at('[]', 1);
  if (type === 'object') return at(style.json ? '{}' : '{  }', style.json ? 1 : 2);
  if (type === 'boolean') return selected(String(otherwise !== true));
  if (type === 'number') return typeof otherwise === 'number' ? selected(String(otherwise)) : at('', 0);
  return style.json || (style.quotes && choices.length === 0 && type === 'string') ? at('""', 1) : at('', 0);
}

/** Returns a value of the type of a parameter, which the user replaces. */
export function placeholderOf({ type, choices, default: otherwise }: Parameter): PlainValue {
  if (isPlain(otherwise)) return otherwise;
  if (type === 'list') return [];
  if (type === 'object') return {};
  if (type === 'boolean') return false;
  if (type === 'number') return 0;
  return choices[0] ?? '';
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
