import type { EditPath, ParseOptions, PlainValue, TextChange } from '@headrace/hocon';
import { applyChanges, EditError, Float, insertItem, removeItem, removeKey, setAt, toValue } from '@headrace/hocon';
import type { ParsedConfig } from './parsed-config.ts';

/**
 * The maximum number of edits inside a value. Each one parses the text several times, so a value that differs in more
 * places is replaced as a whole.
 */
const MAX_EDITS = 40;
/** The maximum size of the table that compares two lists. */
const MAX_CELLS = 250_000;

type Items = readonly PlainValue[];
type Fields = { readonly [key: string]: PlainValue };

/** A change of one place of a text. */
type Edit = (text: string, options: ParseOptions) => TextChange[];

/**
 * Sets a value. Inside a list or an object, only the elements that differ are edited, so that the comments and the layout
 * of the others stay.
 * @throws EditError if the value cannot be set at this place
 */
export function changeValue(config: ParsedConfig, path: EditPath, value: PlainValue): TextChange[] {
  const { text, options } = config;
  const node = config.nodeAt(path);
  const edits = node === undefined ? undefined : [...editsBetween(path, toValue(node), value)];
  if (edits === undefined || edits.length > MAX_EDITS) return setAt(text, path, value, options);
  try {
    const edited = edits.reduce((now, edit) => applyChanges(now, edit(now, options)), text);
    return differenceOf(text, edited);
  } catch (error) {
    // A part of the list or object comes from a substitution. The whole value can perhaps be replaced.
    if (error instanceof EditError) return setAt(text, path, value, options);
    throw error;
  }
}

/** Returns one change that turns a text into another one. */
export function differenceOf(before: string, after: string): TextChange[] {
  if (before === after) return [];
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [{ from, to: before.length - end, insert: after.slice(from, after.length - end) }];
}

/** Returns the edits that turn a value into another one. */
function* editsBetween(path: EditPath, before: PlainValue, after: PlainValue): Generator<Edit> {
  if (keyOf(before) === keyOf(after)) return;
  const areLists = Array.isArray(before) && Array.isArray(after) && before.length * after.length <= MAX_CELLS;
  if (areLists) yield* editsOfList(path, before, after);
  else if (isObject(before) && isObject(after)) yield* editsOfObject(path, before, after);
  else yield (text, options) => setAt(text, path, after, options);
}

function* editsOfObject(path: EditPath, before: Fields, after: Fields): Generator<Edit> {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) yield (text, options) => removeKey(text, [...path, key], options);
  }
  for (const [key, value] of Object.entries(after)) {
    const own = [...path, key];
    if (Object.hasOwn(before, key)) yield* editsBetween(own, before[key]!, value);
    else yield (text, options) => setAt(text, own, value, options);
  }
}

/** The edits start at the end of the list, so that the positions of the others stay. */
function* editsOfList(path: EditPath, before: Items, after: Items): Generator<Edit> {
  let [end, newEnd] = [before.length, after.length];
  for (const [start, newStart] of [...commonItems(before, after), [-1, -1] as const]) {
    // Of the elements between two common ones, as many as possible are changed in place.
    const [from, newFrom] = [start + 1, newStart + 1];
    const both = Math.min(end - from, newEnd - newFrom);
    for (let i = end - 1; i >= from + both; i--) yield (text, options) => removeItem(text, path, i, options);
    for (let i = newEnd - 1; i >= newFrom + both; i--) {
      yield (text, options) => insertItem(text, path, from + both, after[i]!, options);
    }
    for (let i = both - 1; i >= 0; i--)
      yield* editsBetween([...path, from + i], before[from + i]!, after[newFrom + i]!);
    [end, newEnd] = [start, newStart];
  }
}

/** Returns the positions of the longest sequence of elements that both lists have, from the end to the start. */
function commonItems(before: Items, after: Items): [number, number][] {
  const [keys, newKeys] = [before.map(keyOf), after.map(keyOf)];
  // The length of the sequence in the first i elements of one list and the first j of the other.
  const lengths = keys.map(() => new Uint32Array(after.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i - 1]?.[j] ?? 0;
  for (let i = 1; i <= keys.length; i++) {
    for (let j = 1; j <= newKeys.length; j++) {
      lengths[i - 1]![j] =
        keys[i - 1] === newKeys[j - 1] ? lengthAt(i - 1, j - 1) + 1 : Math.max(lengthAt(i - 1, j), lengthAt(i, j - 1));
    }
  }
  const found: [number, number][] = [];
  for (let [i, j] = [keys.length, newKeys.length]; i > 0 && j > 0; ) {
    if (keys[i - 1] === newKeys[j - 1]) found.push([--i, --j]);
    else if (lengthAt(i - 1, j) >= lengthAt(i, j - 1)) i--;
    else j--;
  }
  return found;
}

function isObject(value: PlainValue): value is { [key: string]: PlainValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** Returns a text that is the same for equal values. */
function keyOf(value: PlainValue): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
}
