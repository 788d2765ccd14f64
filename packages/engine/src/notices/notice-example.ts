import { writeValue } from '../document/json-writer.ts';
import type { Value } from '../document/value.ts';
import { escapeControls } from '../errors/plain-text.ts';
import type { NoticeDetails, NoticeExample } from './notice.ts';

/** The maximum number of characters of a value in an example. */
const MAX_VALUE = 100;
/** The maximum number of characters of other texts, such as the path of a file. */
const MAX_TEXT = 500;

/** Returns a case as an example: short texts in one line. Returns undefined if nothing about it is known. */
export function exampleOf(details: NoticeDetails): NoticeExample | undefined {
  const { document, file, line, column, field, value, hint } = details;
  const example: NoticeExample = {};
  if (document !== undefined) example.document = shorten(document, MAX_TEXT);
  if (file !== undefined) example.file = shorten(file, MAX_TEXT);
  if (line !== undefined) example.line = line;
  if (column !== undefined) example.column = column;
  if (field !== undefined) example.field = shorten(field, MAX_TEXT);
  if (value !== undefined) example.value = shorten(valueText(value), MAX_VALUE);
  if (hint !== undefined) example.hint = shorten(hint, MAX_TEXT);
  return Object.keys(example).length === 0 ? undefined : example;
}

function shorten(text: string, most: number): string {
  // A part of a pair of surrogates would not be valid UTF-8.
  const cut = text.length <= most ? text : `${text.slice(0, most)}…`;
  return escapeControls(cut.toWellFormed());
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return writeValue(value as Value);
  } catch {
    // Not a value of a document.
    return Object.prototype.toString.call(value);
  }
}
