// Compares ordinary expressions with the library alone. After a build: node packages/languages/bench/jsonata.bench.mjs
import { compileJsonata } from '@headrace/languages/jsonata';
import jsonata from 'jsonata';
import { asyncRate, rate, report } from '../../../bench/rate.mjs';

const plain = {
  items: Array.from({ length: 20 }, (_, i) => ({ name: `pen ${i}`, price: i / 2, count: i })),
  id: 'a1b22',
};
const exact = new Map([
  ['items', plain.items.map((item) => new Map(Object.entries(item)))],
  ['id', plain.id],
]);
for (const text of [
  'items[3].name',
  '$sum(items.(price * count))',
  'items[price > 5].{"n": name}',
  '$replace(id, /\\d+/, "#")',
]) {
  const ours = await compileJsonata(text);
  report(
    text,
    rate(() => ours.evaluate(exact)),
    'documents/s',
  );
  const library = jsonata(text);
  report(`${text}, library`, await asyncRate(() => library.evaluate(plain)), 'documents/s');
}
