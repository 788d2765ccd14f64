// After a build: node packages/languages/bench/json-path.bench.mjs
import { compileJsonPath } from '@headrace/languages/json-path';
import { rate, report } from '../../../bench/rate.mjs';

const toMap = (data) =>
  Array.isArray(data)
    ? data.map(toMap)
    : typeof data === 'object'
      ? new Map(Object.entries(data).map(([key, value]) => [key, toMap(value)]))
      : data;
const books = Array.from({ length: 100 }, (_, i) => ({ title: `Book ${i}`, price: i / 2, tags: ['a', 'b'] }));
const root = toMap({ store: { books } });
const paths = ['$.store.books[50].title', '$.store.books[*].title', '$..price', '$.store.books[?(@.price > 40)].title'];
for (const path of [...paths, '$.store.books[*].price.sum()']) {
  const compiled = compileJsonPath(path);
  report(
    path,
    rate(() => compiled.evaluate(root)),
    'documents/s',
  );
}
report(
  'compile a path with a filter',
  rate(() => compileJsonPath(paths[3])),
  'paths/s',
);
