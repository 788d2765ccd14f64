import { rmSync } from 'node:fs';
import { assertStageContract, makeStage, toDocument } from '@headrace/engine/testing';
import { Tokenizer } from '@headrace/local-models';
import fc from 'fast-check';
import { withDefaults } from 'headrace/engine';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ChunkPassages } from './chunk-passages.ts';
import { TinyModel } from './testing/tiny-model.ts';

const folder = new TinyModel().write();
afterAll(() => rmSync(folder, { recursive: true }));

interface Child {
  readonly id: string;
  readonly parent_id: string;
  readonly section_id?: string;
  readonly level?: string;
  readonly headings: string[];
  readonly page?: number;
  readonly pageEnd?: number;
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Returns the children for a text. */
async function chunk(body: string, params: object = { maxCharacters: 100 }): Promise<Child[]> {
  const stage = makeStage(ChunkPassages, { source: 'body', ...params });
  await stage.start?.();
  const document = toDocument({ id: 'd', body });
  stage.process(document);
  return JSON.parse(document.toJson()).___children ?? [];
}

const textsOf = (children: readonly Child[]) => children.map(({ text }) => text);

describe('ChunkPassages', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(ChunkPassages, {
      params: { source: 'a', maxCharacters: 100 },
      document: { id: '1', a: '# x\n\ny' },
    });
  });

  it('keeps the headings above each passage, and drops those of other sections', async () => {
    const markdown = '# A\n\none\n\n## *B* [link](u)\n\ntwo\n\n### C\n\n## D\n\nthree\n\nE\n=\n\nfour';
    const found = await chunk(markdown);
    expect(found.map(({ headings, text }) => [headings, text])).toEqual([
      [['A'], 'A\n\none'],
      [['A', 'B link'], 'A > B link\n\ntwo'],
      [['A', 'D'], 'A > D\n\nthree'],
      [['E'], 'E\n\nfour'],
    ]);
    expect(textsOf(await chunk(markdown, { maxCharacters: 100, withHeadings: false }))).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
  });

  it('joins paragraphs that fit, and never sections', async () => {
    const found = await chunk('a. b.\n\nc.\n\n# H\n\nd.\n\ne.', { maxCharacters: 20 });
    expect(textsOf(found)).toEqual(['a. b.\n\nc.', 'H\n\nd.\n\ne.']);
  });

  it('divides a long paragraph between sentences, a long sentence between words, and a long word', async () => {
    const body =
      'One two three. Four five six.\n\nseven eight nine ten eleven twelve.\n\nabcdefghijklmnopqrstuvwxyzabcdefgh';
    expect(textsOf(await chunk(body, { maxCharacters: 20, format: 'text' }))).toEqual([
      'One two three.',
      'Four five six.',
      'seven eight nine',
      'ten eleven twelve.',
      'abcdefghijklmnopqrst',
      'uvwxyzabcdefgh',
    ]);
  });

  it('reads a paragraph of ten million characters, and the headings around it', async () => {
    const log = 'A line of a log\n'.repeat(700_000);
    const children = await chunk(`# Before\n\nFirst.\n\n${log}\n# After\n\nLast.`, { maxCharacters: 100_000 });
    expect(new Set(children.map(({ headings }) => headings.join()))).toEqual(new Set(['Before', 'After']));
    expect(children.filter(({ text }) => text.includes('A line of a log'))).toHaveLength(113);
    expect(children.at(-1)).toMatchObject({ text: 'After\n\nLast.', offset: log.length + 28 });
  });

  it('divides a paragraph into more passages than a call has arguments', async () => {
    const words = `${'a'.repeat(18)} `.repeat(150_000);
    expect(await chunk(words, { maxCharacters: 20 })).toHaveLength(150_000);
  });

  it('repeats whole sentences of the passage before, but not across sections', async () => {
    const body = 'First here. Second one. Third too. Fourth.\n\n# N\n\nFifth.';
    expect(textsOf(await chunk(body, { maxCharacters: 24, overlap: 12 }))).toEqual([
      'First here. Second one.',
      'Second one. Third too.',
      'Third too. Fourth.',
      'N\n\nFifth.',
    ]);
  });

  it('divides tables between rows and repeats their header, and lists between items', async () => {
    const table = '| n | v |\n| - | - |\n| a | 1 |\n| b | 2 |\n| c | 3 |\n';
    expect(textsOf(await chunk(table, { maxCharacters: 45 }))).toEqual([
      '| n | v |\n| - | - |\n| a | 1 |\n| b | 2 |',
      '| n | v |\n| - | - |\n| c | 3 |',
    ]);
    expect(textsOf(await chunk('- one\n- two\n  more\n- three\n', { maxCharacters: 20 }))).toEqual([
      '- one\n- two\n  more',
      '- three',
    ]);
  });

  it('reads no headings in code, and takes the page from the marks of TextExtractor', async () => {
    const found = await chunk('<!-- page 1 -->\n\nOne.\n\n<!-- page 2 -->\n\n```\n# no heading\n```\n', {
      maxCharacters: 25,
    });
    expect(found.map(({ page, text, headings }) => [page, text, headings])).toEqual([
      [1, 'One.', []],
      [2, '```\n# no heading\n```', []],
    ]);
  });

  const PAGES =
    '<!-- page 1 -->\n\n# One\n\nFirst. Second.\n\n<!-- page 2 -->\n\nThird.\n\n<!-- page 3 -->\n\n# Two\n\nFourth.\n';

  it('says on which pages a passage begins and ends, and has no marks of pages in its text', async () => {
    const found = await chunk(PAGES, { maxCharacters: 100, sections: true, withHeadings: false });
    expect(found.map(({ level, page, pageEnd, text }) => [level, page, pageEnd, text])).toEqual([
      ['section', 1, 2, '# One\n\nFirst. Second.\n\nThird.'],
      ['passage', 1, 2, 'First. Second.\n\nThird.'],
      ['section', 3, 3, '# Two\n\nFourth.'],
      ['passage', 3, 3, 'Fourth.'],
    ]);
    const repeated = await chunk(PAGES, { maxCharacters: 20, overlap: 10, withHeadings: false });
    expect(repeated.map(({ page, pageEnd, text }) => [page, pageEnd, text])).toEqual([
      [1, 1, 'First. Second.'],
      [1, 2, 'Second.\n\nThird.'],
      [3, 3, 'Fourth.'],
    ]);
    expect((await chunk('No pages.'))[0]).not.toHaveProperty('pageEnd');
  });

  it('ends a passage where its page ends', async () => {
    const params = { maxCharacters: 100, overlap: 20, endAtPages: true, withHeadings: false };
    const found = await chunk(PAGES, params);
    expect(found.map(({ page, pageEnd, text }) => [page, pageEnd, text])).toEqual([
      [1, 1, 'First. Second.'],
      [2, 2, 'Third.'],
      [3, 3, 'Fourth.'],
    ]);
  });

  it('keeps a comment in code that looks like the mark of a page', async () => {
    const code = '```\n<!-- page 9 -->\n```';
    expect(await chunk(`<!-- page 1 -->\n\n${code}\n`)).toMatchObject([{ page: 1, pageEnd: 1, text: code }]);
  });

  it('adds sections as children of the document, and names them in their passages', async () => {
    const found = await chunk('# A\r\n\r\none. two.\r\n\r\n# B\r\n\r\nthree.', {
      maxCharacters: 20,
      sections: true,
      withHeadings: false,
    });
    expect(found.map(({ id, parent_id, level, section_id, text }) => [id, parent_id, level, section_id, text])).toEqual(
      [
        ['d-s1', 'd', 'section', undefined, '# A\n\none. two.'],
        ['d-1', 'd', 'passage', 'd-s1', 'one. two.'],
        ['d-s2', 'd', 'section', undefined, '# B\n\nthree.'],
        ['d-2', 'd', 'passage', 'd-s2', 'three.'],
      ],
    );
  });

  it('counts the tokens of the model, which reads at most 14 in addition to its special tokens', async () => {
    // The word ships has two tokens.
    const found = await chunk(`# By the sea\n\n${'ships '.repeat(12)}`, { model: folder });
    expect(textsOf(found)).toEqual([
      `By the sea\n\n${'ships '.repeat(5).trim()}`,
      `By the sea\n\n${'ships '.repeat(5).trim()}`,
      'By the sea\n\nships ships',
    ]);
    expect(await chunk(`${'old '.repeat(16)}`, { model: folder, maxTokens: 8 })).toHaveLength(2);
  });

  it('counts the tokens of a long paragraph without sentences about three times', async () => {
    const count = vi.spyOn(Tokenizer.prototype, 'count');
    try {
      const body = 'old ship by the sea '.repeat(1000);
      await chunk(body, { model: folder });
      const counted = count.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
      expect(counted).toBeGreaterThan(body.length);
      expect(counted).toBeLessThan(body.length * 4);
    } finally {
      count.mockRestore();
    }
  });

  it('says what the folder of the model needs if it does not exist', async () => {
    await expect(chunk('text', { model: '/nowhere/model' })).rejects.toMatchObject({
      message: 'Cannot load the model in /nowhere/model: there is no such folder',
      hint: expect.stringContaining('correct the path'),
    });
  });

  it.each(['markdown', 'text'])('loses no word of a %s, and exceeds no limit', async (format) => {
    const piece = fc.constantFrom(
      '# ',
      '- ',
      'word',
      ' ',
      '. ',
      '\n',
      '\n\n',
      '| a | b |\n|---|---|\n',
      '|x|y|\n',
      '```\n',
      '> ',
      'é😀',
      '<!-- page 3 -->\n',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 20, max: 80 }),
        fc.nat(10),
        async (pieces, max, overlap) => {
          const body = pieces.join('');
          const found = await chunk(body, { maxCharacters: max, overlap, format, withHeadings: false });
          for (const { text } of found) expect(text.length).toBeLessThanOrEqual(max);
          const joined = textsOf(found).join('').replace(/\s/g, '');
          for (const { text, offset, length } of found) {
            // Marks of pages are no text, unless they are in code.
            const compared = (part: string) => part.replace(/\s|<!-- page 3 -->/g, '');
            expect(compared(text)).toContain(compared(body.slice(offset, offset + length)));
          }
          if (format === 'text')
            expect(overlap === 0 ? joined : joined.length >= body.replace(/\s/g, '').length).toEqual(
              overlap === 0 ? body.replace(/\s/g, '') : true,
            );
        },
      ),
    );
  });

  it('refuses an unknown size, and a destination that every passage has', async () => {
    const check = (params: object) =>
      [
        ...ChunkPassages.check(
          withDefaults(ChunkPassages.parameters, { source: 'a', dest: 'text', overlap: 0, ...params }),
        ),
      ].map(({ parameter }) => parameter);
    expect(check({})).toEqual(['model']);
    expect(check({ model: 'm', maxCharacters: 50 })).toEqual(['maxCharacters']);
    expect(check({ maxCharacters: 50, maxTokens: 20 })).toEqual(['maxTokens']);
    expect(check({ maxCharacters: 50, overlap: 30 })).toEqual(['overlap']);
    expect(check({ maxCharacters: 50, dest: 'headings' })).toEqual(['dest']);
  });

  it.each(ChunkPassages.examples)('has a true example: $description', async ({ params, documents, output }) => {
    const [document] = documents;
    const children = await chunk(document?.body ?? '', params);
    const expected = output[0]?.___children.map((child) => ({
      ...child,
      id: child.id.replace('1-', 'd-'),
      parent_id: 'd',
    }));
    expect(children).toEqual(expected);
  });

  it('leaves a document without a text unchanged', async () => {
    expect(await chunk(' ')).toEqual([]);
  });
});
