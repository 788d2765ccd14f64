import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { SkipDocument } from './skip-document.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(SkipDocument, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

describe('SkipDocument', () => {
  it('marks the document and does not change its fields and children', async () => {
    expect(await run({}, { id: '1', a: 1, ___children: [{ id: 'c' }] })).toEqual([
      '{"id":"1","a":1,"___children":[{"id":"c"}],"___skipped":true}',
    ]);
  });

  it('satisfies the stage contract', () => assertStageContract(SkipDocument, { params: {}, document: { id: '1' } }));
});
