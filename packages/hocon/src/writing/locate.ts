import type { FieldSyntax, ListSyntax, ObjectSyntax, SyntaxTree, ValueSyntax } from '../syntax/syntax-tree.ts';
import { listOf } from '../syntax/syntax-tree.ts';

/** The keys and indexes that lead to a value, such as `['pipelines', 0, 'stages', 2]`. */
export type EditPath = readonly (string | number)[];

/** The reason why a value cannot be edited at its place. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** A value that is written in a text. */
export type Place =
  | { kind: 'root'; objects: ObjectSyntax[] }
  | { kind: 'fields'; fields: FieldSyntax[]; value: ValueSyntax }
  | { kind: 'item'; list: ListSyntax; index: number; value: ValueSyntax };

/**
 * Returns where the value of a path is written.
 * @throws Refusal if it is not written in this text, or not in a way that can be edited
 */
export function locate(tree: SyntaxTree, path: EditPath): Place {
  let place: Place = { kind: 'root', objects: tree.root === undefined ? [] : [tree.root] };
  for (let i = 0; i < path.length; ) {
    const step = path[i]!;
    if (typeof step === 'number') {
      const list = listAt(place, path.slice(0, i));
      const value = list.items[step];
      if (value === undefined) throw new Refusal(`${shown(path.slice(0, i))} has only ${list.items.length} elements`);
      place = { kind: 'item', list, index: step, value };
      i++;
      continue;
    }
    const keys = keysFrom(path, i);
    const fields = fieldsOf(objectsAt(place), keys);
    const value = fields.at(-1)?.value;
    i += keys.length;
    if (value === undefined) throw new Refusal(`${shown(path.slice(0, i))} is not written in this text`);
    place = { kind: 'fields', fields, value };
  }
  return place;
}

/** Returns the objects that contain the fields of a value. Several definitions of an object are joined. */
export function objectsAt(place: Place): ObjectSyntax[] {
  if (place.kind === 'root') return place.objects;
  const values = place.kind === 'item' ? [place.value] : place.fields.flatMap(({ value }) => value ?? []);
  return values.flatMap(({ parts }) => parts.filter((part) => part.kind === 'object'));
}

/**
 * Returns the list that defines all elements of a value.
 * @throws Refusal if the value is not one list in brackets
 */
export function listAt(place: Place, path: EditPath): ListSyntax {
  const name = shown(path);
  if (place.kind === 'root') throw new Refusal('the config is an object, not a list');
  if (place.kind === 'fields' && place.fields.at(-1)!.appends) {
    throw new Refusal(`elements are added to ${name} with +=. Edit it in the text`);
  }
  const { parts } = place.value;
  const list = listOf(place.value);
  if (list !== undefined) return list;
  if (parts.some(({ kind }) => kind === 'substitution')) {
    throw new Refusal(`${name} comes from a substitution. Edit it in the text`);
  }
  if (parts.length > 1) throw new Refusal(`${name} is joined from several values. Edit it in the text`);
  throw new Refusal(`${name} is not a list in brackets`);
}

/** Returns the fields of a path of keys, in the order of the text. */
export function fieldsOf(objects: readonly ObjectSyntax[], keys: readonly string[]): FieldSyntax[] {
  return objects
    .flatMap(({ fields }) => fields)
    .flatMap((field) => {
      const { path } = field.key;
      if (path.length === 0 || path.length > keys.length || path.some((key, i) => key !== keys[i])) return [];
      if (path.length === keys.length) return [field];
      const parts = (field.value?.parts ?? []).filter((part) => part.kind === 'object');
      return fieldsOf(parts, keys.slice(path.length));
    });
}

/** Returns the keys of a path from an index up to the next index of a list. */
export function keysFrom(path: EditPath, from: number): string[] {
  const keys: string[] = [];
  for (const step of path.slice(from)) {
    if (typeof step === 'number') break;
    keys.push(step);
  }
  return keys;
}

/** Returns a path for messages, such as `pipelines[0].stages`. */
export function shown(path: EditPath): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return text === '' ? 'the config' : text.replace(/^\./, '');
}
