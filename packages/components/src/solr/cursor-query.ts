import type { ParameterProblem, Value } from '@headrace/engine';
import { textOf } from '@headrace/engine';

/** The parameters of a query in a config; a name with dots may have become nested objects. */
export type SolrParams = ReadonlyMap<string, Value>;

/** The default page size. Solr's own default is 10. */
const DEFAULT_ROWS = '1000';

/** Returns the parameters that read all results of a query, except for the cursor. */
export function cursorQuery(params: SolrParams | undefined, idField: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of flattened(params ?? new Map([['q', '*:*']]))) query.append(name, value);
  // A cursor requires a total order.
  const sort = query.getAll('sort').join(',').trim();
  if (sort === '') query.set('sort', `${idField} asc`);
  else if (!sortsBy(sort, idField)) query.set('sort', `${sort},${idField} asc`);
  if (query.has('fl')) query.append('fl', idField);
  if (!query.has('rows')) query.set('rows', DEFAULT_ROWS);
  query.set('wt', 'json');
  return query;
}

/** Reports parameters that conflict with the cursor. */
export function* checkSolrParams(params: SolrParams | undefined): Generator<ParameterProblem> {
  for (const [name, value] of flattened(params ?? new Map())) {
    const wrong =
      name === 'cursorMark'
        ? 'the connector sets it'
        : name === 'start' && value !== '0'
          ? 'the connector always reads all results'
          : name === 'rows' && !/^[1-9]\d*$/.test(value)
            ? `the page size must be at least 1, was ${value}`
            : undefined;
    if (wrong === undefined) continue;
    yield { parameter: ['solrParams', name], message: `solrParams cannot have ${name}=${value}: ${wrong}` };
  }
}

/** Yields every value of every parameter; nested objects become names with dots again. */
function* flattened(params: SolrParams, prefix = ''): Generator<[name: string, value: string]> {
  for (const [name, value] of params) {
    if (value instanceof Map) yield* flattened(value, `${prefix}${name}.`);
    else
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== null) yield [prefix + name, textOf(one) ?? ''];
  }
}

function sortsBy(sort: string, field: string): boolean {
  return sort.split(',').some((part) => part.trim().split(/\s+/)[0] === field);
}
