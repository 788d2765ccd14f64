import type { ParameterProblem, Value } from '@headrace/engine';
import { textOf } from '@headrace/engine';

/** Parameters of a query as a config has them; a name with dots may have become objects. */
export type SolrParams = ReadonlyMap<string, Value>;

/** Documents of a page, when the config does not say how many: Solr itself would give ten. */
const DEFAULT_ROWS = '1000';

/** The parameters that walk through all results of a query, but for the cursor. */
export function cursorQuery(params: SolrParams | undefined, idField: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of flattened(params ?? new Map([['q', '*:*']]))) query.append(name, value);
  // A cursor needs a total order.
  const sort = query.getAll('sort').join(',').trim();
  if (sort === '') query.set('sort', `${idField} asc`);
  else if (!sortsBy(sort, idField)) query.set('sort', `${sort},${idField} asc`);
  if (query.has('fl')) query.append('fl', idField);
  if (!query.has('rows')) query.set('rows', DEFAULT_ROWS);
  query.set('wt', 'json');
  return query;
}

/** Parameters that would come in the way of the cursor. */
export function* checkSolrParams(params: SolrParams | undefined): Generator<ParameterProblem> {
  for (const [name, value] of flattened(params ?? new Map())) {
    const wrong =
      name === 'cursorMark'
        ? 'the connector sets it'
        : name === 'start' && value !== '0'
          ? 'with a cursor all results are read'
          : name === 'rows' && !/^[1-9]\d*$/.test(value)
            ? `it is how many documents a page has, at least 1, and not ${value}`
            : undefined;
    if (wrong === undefined) continue;
    yield { parameter: ['solrParams', name], message: `solrParams cannot have ${name}=${value}: ${wrong}` };
  }
}

/** Every value of every parameter, names with dots put together again. */
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
