import { expect, it } from 'vitest';
import type { ComponentInfo } from '../api/types.ts';
import { exampleConfig } from './example-config.ts';
import { parametersOf, typeName } from './parameters.ts';
import { searchComponents } from './search-components.ts';

function component(name: string, more: Partial<ComponentInfo> = {}): ComponentInfo {
  return { class: name, kind: 'stage', fields: [], aliases: [], package: 'p', ...more };
}

it('a search finds names before descriptions, and needs all words', () => {
  const all = [
    component('ApplyRegex', { description: 'Splits nothing' }),
    component('SplitFieldValues'),
    component('JoinSplit'),
  ];
  expect(searchComponents(all, 'split').map((found) => found.class)).toEqual([
    'SplitFieldValues',
    'JoinSplit',
    'ApplyRegex',
  ]);
  expect(searchComponents(all, 'split nothing').map((found) => found.class)).toEqual(['ApplyRegex']);
  expect(searchComponents(all, '').map((found) => found.class)).toEqual([
    'ApplyRegex',
    'JoinSplit',
    'SplitFieldValues',
  ]);
});

it('required parameters come first, those of every component last, and types are words', () => {
  const text = { type: 'STRING' } as const;
  const fields = [
    {
      name: 'conditions',
      required: false,
      type: { type: 'OBJECT', child: { fields: [{ name: 'fields', required: true, type: text }] } },
    },
    { name: 'mode', required: false, type: text },
    { name: 'source', required: true, type: { type: 'OBJECT', typeReference: 'java.util.List<java.lang.String>' } },
  ] as const;
  const parameters = parametersOf(component('X', { fields }));
  expect(parameters.map(({ name }) => name)).toEqual(['source', 'mode', 'conditions']);
  expect(parameters.map(typeName)).toEqual(['list of texts', 'text', 'block']);
});

it('an example of any kind of component is a complete config', () => {
  const config = (kind: Partial<ComponentInfo>) => JSON.parse(exampleConfig(component('X', kind), { a: 1 }));
  expect(config({ kind: 'stage' }).pipelines[0].stages).toEqual([{ class: 'X', a: 1 }]);
  expect(config({ kind: 'connector' }).connectors).toEqual([{ name: 'source', pipeline: 'main', class: 'X', a: 1 }]);
  expect(config({ kind: 'indexer', type: 'CSV', block: 'csv' })).toMatchObject({
    indexer: { type: 'CSV' },
    csv: { a: 1 },
  });
});
