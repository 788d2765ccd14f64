import type { FileMetaData, SchemaElement } from 'hyparquet';

/** Each list and map has two or three levels. A deeper schema could need more stack than a thread has. */
const MAX_DEPTH = 100;

/** Throws if a footer states what cannot be true, so that only its file fails, and not the thread that decodes its rows. */
export function checkFooter({ schema, row_groups }: FileMetaData): void {
  checkSchema(schema);
  for (const [i, { num_rows: rows }] of row_groups.entries()) {
    if (rows < 0n || rows > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error(`row group ${i + 1} has ${rows} rows`);
  }
}

/** The schema is a tree in one list: each element is followed by the children that it states. */
function checkSchema(schema: readonly SchemaElement[]): void {
  /** How many children are still missing, for each element that is not complete. */
  const missing: number[] = [1];
  for (const { name, num_children: children = 0 } of schema) {
    if (missing.length === 0) throw new Error(`the element ${name} is not in the tree of the schema`);
    if (children < 0) throw new Error(`the element ${name} has ${children} children`);
    missing.push((missing.pop() as number) - 1, children);
    while (missing.at(-1) === 0) missing.pop();
    if (missing.length > MAX_DEPTH) throw new Error(`the schema has more than ${MAX_DEPTH} levels`);
  }
  if (missing.length > 0) throw new Error(`the schema has only ${schema.length} elements, and states more`);
}
