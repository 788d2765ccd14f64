import { describe, expect, it } from 'vitest';
import { silentLogger } from '../component/logger.ts';
import { Document } from '../document/document.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import { MAX_DOCUMENT_BYTES } from '../failures/kept-failure.ts';
import { encodeDocuments } from '../transport/document-wire.ts';
import { addInputs } from './input-reader.ts';
import { sent, skippingDecoder } from './large-chunk.test.lib.ts';
import type { InputBatch, PartFailure } from './pipeline-messages.ts';
import { wordDecoder } from './word-decoder.test.lib.ts';

const words = (text: string, name = 'WordDecoder'): InputBatch => ({
  kind: 'records',
  chunks: [{ bytes: Buffer.from(text), decoder: { ...wordDecoder(), name }, position: 'words.txt' }],
});

/** Reads the documents of failures at these positions again. Returns their JSON, or the reason why it is missing. */
async function inputsAt(batch: InputBatch, ...positions: number[]): Promise<(string | undefined)[]> {
  const failures = positions.map(
    (position): PartFailure => ({
      id: `failed ${position}`,
      at: 'stage_1',
      failure: { code: 'HR_STAGE_FAILED', message: 'failed' },
      position,
    }),
  );
  await addInputs(failures, batch, new FailureBudget(), 10_000, silentLogger);
  return failures.map(({ content }) => {
    if (content === undefined || 'omitted' in content) return content?.omitted;
    const { document } = content;
    return document.kind === 'input' ? `${document.json}${document.binaryFields.join()}` : document.kind;
  });
}

describe('the inputs of failed documents', () => {
  it('are the documents at the positions of the failures, counting unreadable records', async () => {
    expect(await inputsAt(words('a bad b c'), 0, 2)).toEqual(['{"id":"a","chunk":1}', '{"id":"b","chunk":1}']);
  });

  it('have the same content for several failures of one document', async () => {
    expect(await inputsAt(words('a b'), 1, 1)).toEqual(['{"id":"b","chunk":1}', '{"id":"b","chunk":1}']);
  });

  it('are read up to the last wanted document only', async () => {
    expect(await inputsAt(words('a b broken'), 1)).toEqual(['{"id":"b","chunk":1}']);
    expect(await inputsAt(words('a broken b'), 0, 2)).toEqual([
      '{"id":"a","chunk":1}',
      'The document could not be read again: the chunk is broken',
    ]);
  });

  it.each([true, false])(
    'are found without those before them, if the decoder can skip (tables: %j)',
    async (asTables) => {
      const decoder = skippingDecoder({ tables: 100, rows: 10, size: 4, asTables });
      const chunk = () => ({ bytes: new Uint8Array(8), decoder, position: {} });
      sent.documents = 0;
      expect(await inputsAt({ kind: 'records', chunks: [chunk(), chunk()] }, 1995, 1987)).toEqual([
        '{"id":"995","text":"995."}',
        '{"id":"987","text":"987."}',
      ]);
      expect(sent.documents).toBe(20);
    },
  );

  it('are missing with the reason if the batch or its decoder cannot be read', async () => {
    expect(await inputsAt(words('a'), 5)).toEqual(['The document was not found when the source was read again']);
    expect(await inputsAt(words('a', 'Missing'), 0)).toEqual([expect.stringMatching(/has no export Missing$/)]);
  });

  it('name the fields with bytes, which JSON contains as text', async () => {
    const document = Document.create('1');
    document.set('image', new Uint8Array([1, 2]));
    document.set('title', 'x');
    const batch: InputBatch = { kind: 'documents', bytes: encodeDocuments([document]), count: 1 };
    expect(await inputsAt(batch, 0)).toEqual(['{"id":"1","image":"AQI=","title":"x"}image']);
  });

  it('are not stored if they are larger than the limit', async () => {
    const [reason] = await inputsAt(words('x'.repeat(MAX_DOCUMENT_BYTES)), 0);
    expect(reason).toMatch(/^The document has \d+ bytes, and the limit is 1048576$/);
  });
});
