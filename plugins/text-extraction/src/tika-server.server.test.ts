import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { describeWithOwnServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { extract, extractAll, folder } from './testing/extract.ts';
import { TextExtractor } from './text-extractor.ts';

const home = mkdtempSync(join(tmpdir(), 'headrace-tika-'));
afterAll(() => rmSync(home, { recursive: true }));

/** A file that Tika 1.28 takes for an attack: 20 MB in 20 KB. */
const REFUSED = 'bomb.zip';
/** The title of this book is all that Tika 1.28 finds. */
const MOSTLY_UNREAD = 'book.epub';
const NAMES = readdirSync(folder).filter((name) => name !== REFUSED && name !== MOSTLY_UNREAD);

const wordsOf = (text: unknown) => new Set(String(text).match(/[\p{L}\d]+/gu));

await describeWithOwnServer('tika', (server) => {
  const tika = () => ({ tika: { url: server.url } });

  it('finds the words that this plugin finds in the test files', async () => {
    expect(NAMES.length).toBeGreaterThan(12);
    for (const format of ['text', 'markdown']) {
      for (const name of NAMES) {
        const [theirs, ours] = await Promise.all([extract(name, { ...tika(), format }), extract(name, { format })]);
        expect(theirs, name).toMatchObject({ tika_content_type: ours['tika_content_type'] });
        // Tika writes words of PDF files as they are hyphenated, the heading of the ODT file without a line end, and no
        // page numbers and names of attachments.
        const ignored = new Set(['continues', 'Heading', 'A', 'page', '1', '2', 'note', 'txt']);
        const missing = [...wordsOf(ours['text'])].filter((word) => !wordsOf(theirs['text']).has(word));
        expect(
          missing.filter((word) => !ignored.has(word)),
          `${name} as ${format}`,
        ).toEqual([]);
        expect(String(theirs['text']).startsWith('\n')).toBe(false);
      }
    }
  }, 300_000);

  it('makes headings, lists and tables of its HTML', async () => {
    expect(await extract('text.odt', { ...tika(), format: 'markdown' })).toMatchObject({
      text: '# Heading\n\nA paragraph.\n\n- an item\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n',
    });
    expect(await extract('latin1.txt', { ...tika(), format: 'markdown' })).toMatchObject({
      text: "Les élèves français préfèrent l'été à l'hiver, où il a neigé.\n".repeat(3),
    });
  });

  it('returns metadata under the names of Tika', async () => {
    expect(await extract('word.docx', tika())).toMatchObject({
      tika_dc_title: 'The title',
      tika_dc_creator: 'Ann Author',
      tika_content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    });
  });

  it('reads a file with a name that is not ASCII', async () => {
    const path = join(home, "Prüf'ung 试 (1).txt");
    writeFileSync(path, 'Grüße\n');
    const [outcome] = await runStage(TextExtractor, { filePathField: 'path', ...tika() }, [{ id: '1', path }]);
    expect(JSON.parse(outcome?.documents[0] ?? '')).toMatchObject({
      text: expect.stringMatching(/^Grüße\n/),
      tika_resourcename: "Prüf'ung 试 (1).txt",
    });
  });

  it('reports damaged and refused files, and reads the others', async () => {
    const cut = readFileSync(`${folder}pages.pdf`).subarray(0, 800);
    const read = await extractAll([cut, 'a text', readFileSync(`${folder}${REFUSED}`)], {
      ...tika(),
      errorField: 'problem',
    });
    expect(read.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('it is damaged or encrypted'),
      undefined,
      expect.stringContaining('it is damaged or encrypted'),
    ]);
    expect(read[1]).toMatchObject({ text: expect.stringMatching(/^a text\n/) });
  });

  it('cuts the text at the limit', async () => {
    const words = 'All work and no play. '.repeat(200_000);
    const read = await extractAll([words, words], { ...tika(), textContentLimit: 10 });
    expect(read.map(({ text }) => text)).toEqual(['All work a', 'All work a']);
  });

  it('reads many files at the same time', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `text number ${i}`);
    const read = await extractAll(texts, tika());
    expect(read.map(({ text }) => String(text).trim())).toEqual(texts);
  });

  it('continues after the server was stopped and started again', async () => {
    const stage = makeStage(TextExtractor, { ...tika(), byteArrayField: 'bytes' });
    await stage.start?.();
    const document = (text: string) => toDocument({ id: '1', bytes: Buffer.from(text).toString('base64') });
    const before = document('before');
    await stage.process(before);
    await server.stop();
    const during = document('during');
    // How long the start takes decides whether the retries suffice. The document ends in both cases.
    const waiting = Promise.resolve(stage.process(during)).catch(() => undefined);
    await server.start();
    const after = document('after');
    await stage.process(after);
    expect([before.text('text')?.trim(), after.text('text')?.trim()]).toEqual(['before', 'after']);
    await waiting;
    await stage.stop?.();
  });
});
