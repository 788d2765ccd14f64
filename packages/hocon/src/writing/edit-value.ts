import type { ParseOptions } from '../loading/parse-options.ts';
import { ArgumentError } from '../tree/arguments.ts';
import type { ConfigNode, PlainValue } from '../tree/node.ts';
import type { EditPath } from './locate.ts';
import type { TextChange } from './text-change.ts';
import { TextEditor } from './text-editor.ts';

// All functions of this file return the changes of a text, in order and without overlaps. Comments, order and layout
// of the rest are kept, and strict JSON stays strict JSON. New values are written in the style of the text. Each edit is
// checked: the edited text is parsed, and must have the expected value and no new mistakes.

/**
 * Inserts an element into a list.
 * @param path the path of the list
 * @param index the index of the new element
 * @param options the options of {@link parse} that the text needs
 * @throws EditError if the list is not written as one list in brackets: it comes from a substitution, an include, `+=`
 * or a concatenation; or if the brackets of the text are unbalanced
 * @throws ConfigError of kind `BadValue` for a value that a config cannot contain
 * @throws ArgumentError for the same arguments as {@link parse}, and for an invalid path or index
 */
export function insertItem(
  text: string,
  path: EditPath,
  index: number,
  value: PlainValue | ConfigNode,
  options: ParseOptions = {},
): TextChange[] {
  checkIndex(index);
  return new TextEditor(text, path, options).insertItem(index, value);
}

/**
 * Removes an element of a list, with the comments directly above it and beside it.
 * @throws the errors of {@link insertItem}
 */
export function removeItem(text: string, path: EditPath, index: number, options: ParseOptions = {}): TextChange[] {
  checkIndex(index);
  return new TextEditor(text, path, options).removeItem(index);
}

/**
 * Moves an element of a list, with the comments directly above it and beside it.
 * @param to the index of the element after the move
 * @throws the errors of {@link insertItem}
 */
export function moveItem(
  text: string,
  path: EditPath,
  from: number,
  to: number,
  options: ParseOptions = {},
): TextChange[] {
  checkIndex(from);
  checkIndex(to);
  return new TextEditor(text, path, options).moveItem(from, to);
}

/**
 * Removes all definitions of a key, with the comments directly above them and beside them.
 * @param path the path of the key, which may lead through lists
 * @throws EditError if the text does not contain the key, or has the value without it; or for unbalanced brackets
 */
export function removeKey(text: string, path: EditPath, options: ParseOptions = {}): TextChange[] {
  return new TextEditor(text, path, options).removeKey();
}

/**
 * Sets a value, as {@link setValue} does, at a path that may lead through lists. An existing value is replaced in place.
 * A new field is added at the end of the innermost object.
 * @throws EditError if the value cannot be set at this place
 */
export function setAt(
  text: string,
  path: EditPath,
  value: PlainValue | ConfigNode,
  options: ParseOptions = {},
): TextChange[] {
  return new TextEditor(text, path, options).setAt(value);
}

function checkIndex(index: unknown): void {
  if (Number.isInteger(index) && (index as number) >= 0) return;
  throw new ArgumentError(`an index must be a whole number from 0, not ${String(index)}`);
}
