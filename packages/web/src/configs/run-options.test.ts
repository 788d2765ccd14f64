import { expect, it } from 'vitest';
import { runOptions } from './run-options.ts';

it('overrides are lines with a path and a value, labels are words with a colon', () => {
  expect(runOptions(' team:search  env: ', 'csv.path = out=1.csv\n\nconnectors.0.numDocs=7\na.b = "7"\n')).toEqual({
    labels: { team: 'search', env: '' },
    overrides: { 'csv.path': 'out=1.csv', 'connectors.0.numDocs': 7, 'a.b': '7' },
  });
  expect(runOptions('', ' ')).toEqual({});
});

it('a line or a label of another form is a problem', () => {
  expect(runOptions('', 'a = 1\nb')).toEqual({ problem: 'Line 2 is not of the form path = value' });
  expect(runOptions('', '= 1')).toEqual({ problem: 'Line 1 is not of the form path = value' });
  expect(runOptions('team', '')).toEqual({ problem: 'The label team is not of the form name:value' });
});
