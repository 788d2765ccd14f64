import { makeStage, stageContext, toDocument } from '@headrace/engine/testing';
import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { extractAll } from './testing/extract.ts';
import { TextExtractor } from './text-extractor.ts';

const unknown = Buffer.from([0, 1, 2, 3]);

it('TextExtractor writes a code into errorField for a file without text, or fails the document', async () => {
  const [empty, other] = await extractAll(['', unknown], { errorField: 'problem', format: 'markdown' });
  expect(empty).toMatchObject({ text: '', problem: 'text.empty' });
  expect(other).toMatchObject({ text: '', problem: 'text.unsupported' });
  const failed = await extractAll(['', unknown], { onError: 'fail' });
  expect(failed).toEqual([
    { error: 'The file has no text: there is no text in it: application/octet-stream' },
    { error: 'The file has no text: no reader knows its type: application/octet-stream' },
  ]);
});

it('TextExtractor names a file of an archive that cannot be read, and keeps the others', async () => {
  const archive = zipOf([
    { name: 'a.txt', content: 'a text' },
    { name: 'b.pdf', content: '%PDF-1.4 nothing' },
  ]);
  const [read] = await extractAll([archive], { errorField: 'problem' });
  expect(read).toMatchObject({
    text: 'a.txt\na text\nb.pdf\n',
    problem: expect.stringMatching(/^A part of the file cannot be read: b\.pdf: /),
  });
});

it('TextExtractor reports notices with the document, the file and a hint', async () => {
  const context = stageContext();
  const stage = makeStage(
    TextExtractor,
    { byteArrayField: 'bytes', metadataFields: { resourceName: 'name' } },
    context,
  );
  await stage.start?.();
  for (const [id, bytes] of ['', unknown, Buffer.from('a text')].entries()) {
    await stage.process(toDocument({ id: `${id}`, bytes: Buffer.from(bytes).toString('base64') }));
  }
  await stage.stop?.();
  expect(context.collector.list()).toMatchObject([
    {
      code: 'text.empty',
      class: 'suspect',
      count: 1,
      examples: [{ document: '0', hint: expect.stringContaining('onError') }],
    },
    {
      code: 'text.unsupported',
      class: 'suspect',
      count: 1,
      examples: [{ document: '1', value: 'application/octet-stream' }],
    },
  ]);
});
