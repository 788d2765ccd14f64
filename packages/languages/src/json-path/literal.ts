import type { Cursor } from './cursor.ts';

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const BARE_WORD = /[^\s,:\]})]+/y;

/**
 * Reads a JSON literal in a filter or an argument. Texts may also be in single quotes, and without quotes inside lists
 * and objects.
 */
export function readLiteral(cursor: Cursor): unknown {
  return readValue(cursor.skipBlanks(), false);
}

function readValue(cursor: Cursor, bareWords: boolean): unknown {
  switch (cursor.char) {
    case "'":
    case '"':
      return cursor.takeQuoted();
    case '[':
      return readList(cursor);
    case '{':
      return readObject(cursor);
    default:
      return readScalar(cursor, bareWords);
  }
}

function readScalar(cursor: Cursor, bareWords: boolean): unknown {
  const start = cursor.position;
  const number = cursor.takeMatch(NUMBER);
  if (number !== '' && (!bareWords || /[\s,\]}]/.test(cursor.char))) return numberOf(number);
  cursor.position = start;
  for (const [word, value] of WORDS) if (cursor.take(word)) return value;
  const word = bareWords ? cursor.takeMatch(BARE_WORD) : '';
  return word === '' ? cursor.fail('Expected a value') : word;
}

const WORDS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Returns the number of a decimal text. Integers are exact. */
export function numberOf(text: string): number | bigint {
  const value = Number(text);
  return /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text.replace('+', '')) : value;
}

function readList(cursor: Cursor): unknown[] {
  const list: unknown[] = [];
  cursor.position++;
  if (cursor.skipBlanks().take(']')) return list;
  do list.push(readValue(cursor.skipBlanks(), true));
  while (cursor.skipBlanks().take(','));
  cursor.expect(']');
  return list;
}

function readObject(cursor: Cursor): Map<string, unknown> {
  const object = new Map<string, unknown>();
  cursor.position++;
  if (cursor.skipBlanks().take('}')) return object;
  do {
    const key = String(readValue(cursor.skipBlanks(), true));
    cursor.expect(':');
    object.set(key, readValue(cursor.skipBlanks(), true));
  } while (cursor.skipBlanks().take(','));
  cursor.expect('}');
  return object;
}
