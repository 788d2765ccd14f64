import { HeadraceError } from '../errors/headrace-error.ts';
import type { Document } from './document.ts';
import { checkWritable, RESERVED_FIELDS } from './names.ts';
import { copyValue, distinctValues, type Value } from './value.ts';

/** See `Document.removeDuplicates`. */
export function removeDuplicates(document: Document, name: string, target: string | undefined): void {
  const value = document.get(name);
  if (!Array.isArray(value)) return;
  const unique = distinctValues(value);
  if (target === undefined || target === name) {
    if (unique.length === value.length) return;
    checkWritable(name);
    document.delete(name);
    document.put(name, unique);
    return;
  }
  checkWritable(target);
  const existing = document.get(target);
  if (existing === undefined) document.put(target, unique.map(copyValue));
  else if (Array.isArray(existing)) for (const item of unique) existing.push(copyValue(item));
  else {
    throw new HeadraceError(
      'HR_DOCUMENT_TYPE',
      `Field "${target}" holds a single value, so no values can be added to its list`,
    );
  }
}

/** See `Document.setOrAddAll`. */
export function appendFields(document: Document, { fieldNames, fieldValues }: Document): void {
  for (let i = 0; i < fieldNames.length; i++) {
    const name = fieldNames[i] as string;
    if (RESERVED_FIELDS.has(name)) continue;
    const value = copyValue(fieldValues[i] as Value);
    const present = document.get(name);
    if (present === undefined) document.put(name, value);
    else {
      const list = Array.isArray(present) ? present : [present];
      for (const item of Array.isArray(value) ? value : [value]) list.push(item);
      if (list !== present) document.put(name, list);
    }
  }
}
