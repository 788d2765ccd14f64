import { describe, expect, it } from 'vitest';
import { fieldChanges } from './field-changes.ts';
import { parseDocuments } from './parse-documents.ts';
import { stepsOf } from './preview-steps.ts';

describe('the documents of a preview', () => {
  it('are a JSON list, one object, or one object per line', () => {
    expect(parseDocuments('[{"id": "1"}, {"id": "2"}]').documents).toEqual([{ id: '1' }, { id: '2' }]);
    expect(parseDocuments('{"id": "1"}').documents).toEqual([{ id: '1' }]);
    expect(parseDocuments('{"id": "1"}\n\n{"id": "2"}\n').documents).toEqual([{ id: '1' }, { id: '2' }]);
  });

  it('have a problem with its line if one is not JSON', () => {
    expect(parseDocuments('{"id": "1"}\n{"id": ')).toMatchObject({ documents: [], problem: /^Line 2 is not JSON/ });
    expect(parseDocuments('{"id": "1"}\n{"id": "2"').problem).not.toMatch(/line 1|position/);
  });

  it('have a problem if the service would refuse their number', () => {
    expect(parseDocuments('{"id": "1"}\n'.repeat(1_000)).documents.length).toBe(1_000);
    expect(parseDocuments('{"id": "1"}\n'.repeat(1_001))).toEqual({
      documents: [],
      problem: 'A preview takes at most 1,000 documents, and these are 1,001.',
    });
  });
});

it('a stage adds, changes and removes fields', () => {
  expect(fieldChanges({ id: '1', old: 1, same: [1] }, { id: '2', same: [1], new: true })).toEqual([
    { name: 'id', kind: 'changed', old: '1', value: '2' },
    { name: 'same', kind: 'same', value: [1] },
    { name: 'new', kind: 'added', value: true },
    { name: 'old', kind: 'removed', old: 1 },
  ]);
});

it('the steps of a document are its input, its stages, and the stages of its children', () => {
  const steps = stepsOf({
    input: { id: '1' },
    documents: [],
    dropped: [],
    trace: [
      { stage: 'a', class: 'A', document: { id: '1', x: 1 } },
      { stage: 'b', class: 'B', skipped: 'condition' },
      {
        stage: 'c',
        class: 'C',
        unchanged: true,
        children: [{ document: { id: '1-1' }, trace: [{ stage: 'd', class: 'D', unchanged: true }] }],
      },
      { stage: 'd', class: 'D', dropped: true },
    ],
  });
  expect(steps.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'Input unchanged',
    'a changed',
    'b unchanged',
    'c unchanged',
    'child 1 changed',
    'child 1 · d unchanged',
    'd changed',
  ]);
  expect(steps.at(-1)).toMatchObject({ before: { id: '1', x: 1 }, after: undefined, text: 'dropped the document' });
});
