type Fields = Readonly<Record<string, unknown>>;

/** A field of a document, and what a stage did with it. */
export interface FieldChange {
  readonly name: string;
  readonly kind: 'same' | 'added' | 'removed' | 'changed';
  readonly old?: unknown;
  readonly value?: unknown;
}

/** Returns the fields of both documents, in the order of the new document. Removed fields come last. */
export function fieldChanges(before: Fields, after: Fields): FieldChange[] {
  const changes: FieldChange[] = Object.entries(after).map(([name, value]) => {
    if (!Object.hasOwn(before, name)) return { name, kind: 'added', value };
    const old = before[name];
    return JSON.stringify(old) === JSON.stringify(value)
      ? { name, kind: 'same', value }
      : { name, kind: 'changed', old, value };
  });
  for (const [name, old] of Object.entries(before)) {
    if (!Object.hasOwn(after, name)) changes.push({ name, kind: 'removed', old });
  }
  return changes;
}
