import { HeadraceError } from '../errors/headrace-error.ts';
import type { Document } from './document.ts';
import { checkWritable, internName } from './names.ts';
import type { JsonObject, Value } from './value.ts';

/** A parsed nested path. Strings are names. Numbers are list indices. */
export type NestedPath = readonly (string | number)[];

/**
 * Parses a path such as `a.b[2].c`: names separated by dots, 0-based indices in brackets. Repeated, leading and
 * trailing dots are ignored.
 * Throws `HR_DOCUMENT_NESTED_PATH` for white space and for unbalanced, nested, leading or non-numeric brackets.
 */
export function parseNestedPath(path: string): NestedPath {
  if (/\s/.test(path)) throw malformed(path, 'contains white space');
  if (path.startsWith('[')) throw malformed(path, 'starts with a bracket');
  const segments: (string | number)[] = [];
  let at = 0;
  while (at < path.length) {
    if (path[at] === '.') at++;
    else if (path[at] === '[') {
      const end = path.indexOf(']', at);
      if (end < 0) throw malformed(path, 'has an unclosed bracket');
      const index = path.slice(at + 1, end);
      if (!/^\d+$/.test(index)) throw malformed(path, `has an index that is not a number ("${index}")`);
      segments.push(Number(index));
      at = end + 1;
    } else {
      const end = path.slice(at).search(/[.[]/);
      const name = end < 0 ? path.slice(at) : path.slice(at, at + end);
      if (name.includes(']')) throw malformed(path, 'has a closing bracket without an opening one');
      segments.push(internName(name));
      at += name.length;
    }
  }
  return segments;
}

/**
 * Returns the value at a path. Returns undefined if a step is missing or the path is empty. Throws for a name step on a
 * list.
 */
export function getNested(document: Document, path: NestedPath): Value | undefined {
  const [root] = path;
  return typeof root === 'string' ? nestedValue(document.get(root), path) : undefined;
}

/** Does the same as `getNested`, for the value of the field that the path begins with. */
export function nestedValue(root: Value | undefined, path: NestedPath): Value | undefined {
  let value = root;
  for (let i = 1; i < path.length; i++) {
    const step = path[i] as string | number;
    if (value instanceof Map) value = typeof step === 'string' ? value.get(step) : undefined;
    else if (Array.isArray(value)) {
      if (typeof step === 'string') throw misfit(path, `a list has no member "${step}"`);
      value = value[step];
    } else return undefined;
  }
  return value;
}

/**
 * Sets the value at a path. Creates missing objects, or missing lists if the next step is an index. An index may be
 * equal to the length of the list (append), but not greater. Throws for a step into a scalar, and for reserved fields.
 */
export function setNested(document: Document, path: NestedPath, value: Value): void {
  const root = path[0];
  if (typeof root !== 'string') throw misfit(path, path.length === 0 ? 'it is empty' : 'it must start with a name');
  checkWritable(root);
  if (path.length === 1) {
    document.put(root, value);
    return;
  }
  let container = document.get(root);
  if (container === undefined || container === null) {
    container = emptyFor(path[1] as string | number);
    document.put(root, container);
  }
  for (let i = 1; i < path.length; i++) {
    const step = path[i] as string | number;
    const last = i === path.length - 1;
    const next: Value | undefined = last
      ? value
      : (member(container, step) ?? emptyFor(path[i + 1] as string | number));
    put(container, step, next, path);
    container = next;
  }
}

/** Removes the value at a path. Does nothing if a step is missing. Throws for reserved fields. */
export function removeNested(document: Document, path: NestedPath): void {
  const root = path[0];
  if (typeof root !== 'string') return;
  checkWritable(root);
  if (path.length === 1) {
    document.delete(root);
    return;
  }
  const parent = getNested(document, path.slice(0, -1));
  const step = path.at(-1) as string | number;
  if (parent instanceof Map && typeof step === 'string') parent.delete(step);
  else if (Array.isArray(parent) && typeof step === 'number') parent.splice(step, 1);
}

function emptyFor(step: string | number): JsonObject | Value[] {
  return typeof step === 'number' ? [] : new Map();
}

function member(container: Value, step: string | number): Value | undefined {
  if (container instanceof Map) return typeof step === 'string' ? container.get(step) : undefined;
  return Array.isArray(container) && typeof step === 'number' ? container[step] : undefined;
}

function put(container: Value, step: string | number, value: Value, path: NestedPath): void {
  if (container instanceof Map) {
    if (typeof step === 'number') throw misfit(path, 'an object has no index');
    container.set(step, value);
  } else if (Array.isArray(container)) {
    if (typeof step === 'string') throw misfit(path, `a list has no member "${step}"`);
    if (step > container.length) throw misfit(path, `Cannot set index ${step} on array of size ${container.length}`);
    container[step] = value;
  } else throw misfit(path, 'it leads through a value that is neither an object nor a list');
}

function pathText(path: NestedPath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}

function malformed(path: string, reason: string): HeadraceError {
  return new HeadraceError('HR_DOCUMENT_NESTED_PATH', `The nested path "${path}" ${reason}`);
}

function misfit(path: NestedPath, reason: string): HeadraceError {
  return new HeadraceError(
    'HR_DOCUMENT_NESTED_PATH',
    `The nested path "${pathText(path)}" does not fit the document: ${reason}`,
  );
}
