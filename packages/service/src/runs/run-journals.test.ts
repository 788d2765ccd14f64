import { readConfigText, SecretMask } from '@headrace/engine';
import { expect, it } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { RunJournals } from './run-journals.ts';

it('the events of a run stay for some time after its end, and are removed if it could not be stored', () => {
  const { root } = readConfigText('a: 1');
  if (root === undefined) throw new Error('no config');
  const journals = new RunJournals(new MemoryStore());
  for (const id of ['done', 'refused']) {
    journals.open(id, new SecretMask(root, true), () => ({ name: 'progress', data: {} }));
  }
  journals.close('done');
  journals.discard('refused');
  expect(journals.get('done')).toBeDefined();
  expect(journals.get('refused')).toBeUndefined();
});
