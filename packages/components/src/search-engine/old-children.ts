import type { Family, Reply } from '@headrace/engine';
import type { HttpResponse } from '../http/http-client.ts';
import { type ProductName, parse, statusRefusal } from './bulk-reply.ts';

/** Returns the query for the children that the families no longer have. */
export function familiesQuery(families: readonly Family[], field: string): object {
  const none = families.filter(({ children }) => children.length === 0).map(({ parent }) => parent);
  const some = families.filter(({ children }) => children.length > 0);
  const should: object[] = some.map(({ parent, children }) => ({
    bool: { filter: [{ term: { [field]: parent } }], must_not: [{ ids: { values: children } }] },
  }));
  if (none.length > 0) should.push({ terms: { [field]: none } });
  return { bool: { minimum_should_match: 1, should } };
}

/** The part of a response about the mappings of fields: by index, by field, then by the last part of its name. */
type FieldMappings = Readonly<
  Record<
    string,
    {
      readonly mappings?: Readonly<
        Record<string, { readonly mapping?: Readonly<Record<string, { readonly type?: string }>> }>
      >;
    }
  >
>;

/**
 * Returns the field to compare with an id: the field itself, or its keyword field if the field is split into words.
 * Returns a refusal if there is no such field. A field without a mapping is in no document.
 */
export function exactField(response: HttpResponse, field: string, name: ProductName): string | Reply {
  if (response.status >= 300) return { refused: statusRefusal(response, name) };
  const types = new Map<string, string>();
  for (const { mappings = {} } of Object.values((parse(response) as FieldMappings | undefined) ?? {})) {
    for (const [path, { mapping = {} }] of Object.entries(mappings)) {
      for (const { type = '' } of Object.values(mapping)) types.set(path, type);
    }
  }
  const type = types.get(field);
  if (type === undefined) return { items: new Map() };
  if (type !== 'text') return field;
  const exact = [...types].find(([path, kind]) => path.startsWith(`${field}.`) && kind === 'keyword')?.[0];
  if (exact !== undefined) return exact;
  const message = `The field ${field} (indexer.childrenField) of the index has the type text, which splits ids into words: map it as keyword`;
  return { refused: { status: 400, message, retryable: false, whole: true } };
}
