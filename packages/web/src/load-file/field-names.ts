/**
 * Returns names for fields in an index, in the order of the fields: without spaces, all different. Search engines keep
 * names that begin with an underscore to themselves and refuse documents with a field such as _id.
 */
export function fieldNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name
      .trim()
      .replaceAll(/\s+/g, '_')
      .replace(/^_+(?=.)/, '');
    // The field id is the id of the document.
    const wanted = name !== 'id' && plain === 'id' ? 'source_id' : plain;
    let free = wanted;
    for (let i = 2; taken.has(free) || (free !== name && given.has(free)); i++) free = `${wanted}_${i}`;
    taken.add(free);
    return free;
  });
}
