import { HeadraceError, textOf, type Value, writeValue } from '@headrace/engine';

/**
 * Returns the id that a key means: its text; the value of an object with one member; the JSON list of the values of an
 * object with several, so that two keys never have one id.
 */
export function idOfKey(key: Value): string {
  const value = key instanceof Map && key.size === 1 ? ([...key.values()][0] as Value) : key;
  const id =
    value instanceof Map ? writeValue([...value.values()]) : Array.isArray(value) ? writeValue(value) : textOf(value);
  if (id === null || id === '') throw new HeadraceError('HR_DOCUMENT_NO_ID', 'its key is empty');
  return id;
}
