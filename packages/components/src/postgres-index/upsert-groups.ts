/** Documents that are written with one statement. */
export interface UpsertGroup {
  /** The columns with a default for which these documents have a field. */
  readonly given: readonly string[];
  /** The documents as JSON. */
  readonly texts: string[];
}

/**
 * Groups documents with the same optional columns, in as few groups as the order of versions allows: a later version of
 * a document is never in an earlier group.
 * @param optional columns that keep their default if a document lacks the field
 */
export function upsertGroups(
  texts: readonly string[],
  idColumn: string,
  optional: readonly string[],
): readonly UpsertGroup[] {
  if (optional.length === 0) return [{ given: [], texts: [...texts] }];
  const groups: UpsertGroup[] = [];
  let open = new Map<string, UpsertGroup>();
  /** The group of each document in the open groups, by id. */
  let places = new Map<string, UpsertGroup>();
  for (const text of texts) {
    const fields = JSON.parse(text) as Record<string, unknown>;
    const given = optional.filter((name) => Object.hasOwn(fields, name));
    const signature = JSON.stringify(given);
    const id = String(fields[idColumn]);
    const before = places.get(id);
    if (before !== undefined && before !== open.get(signature)) {
      open = new Map();
      places = new Map();
    }
    let group = open.get(signature);
    if (group === undefined) {
      group = { given, texts: [] };
      open.set(signature, group);
      groups.push(group);
    }
    group.texts.push(text);
    places.set(id, group);
  }
  return groups;
}
