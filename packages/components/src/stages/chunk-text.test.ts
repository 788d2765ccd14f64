import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ChunkText } from './chunk-text.ts';

interface Chunk {
  readonly id: string;
  readonly offset: number;
  readonly page?: number;
  readonly pageEnd?: number;
  readonly length: number;
  readonly text: string;
}

async function children(value: unknown, overrides: Record<string, unknown> = {}): Promise<Chunk[]> {
  const [outcome] = await runStage(ChunkText, { source: 't', ...overrides }, [{ id: 'd', t: value }]);
  expect(outcome?.error).toBeUndefined();
  return (JSON.parse(outcome?.documents[0] as string) as { ___children?: Chunk[] }).___children ?? [];
}

async function texts(value: unknown, overrides: Record<string, unknown> = {}): Promise<string[]> {
  return (await children(value, overrides)).map((chunk) => chunk.text);
}

const commas = { chunkingMethod: 'custom', regex: ',' };

describe('ChunkText', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(ChunkText, { params: { source: 't' }, document: { id: '1', t: 'One. Two.' } });
  });

  it('attaches children after existing children, with their fields in order', async () => {
    const document = { id: 'd', t: ['One. Two.', 'Not read.'], ___children: [{ id: 'x' }] };
    const [outcome] = await runStage(ChunkText, { source: 't', dest: 'part' }, [document]);
    expect(outcome?.documents[0]).toContain(
      '"___children":[{"id":"x"},' +
        '{"id":"d-1","parent_id":"d","chunk_number":1,"total_chunks":2,"offset":0,"length":4,"part":"One."},' +
        '{"id":"d-2","parent_id":"d","chunk_number":2,"total_chunks":2,"offset":4,"length":4,"part":"Two."}]',
    );
  });

  it.each([[''], [' \n\t'], [null], [[]], [{}], [[null, 'x']]])('creates no children for %j', async (value) => {
    expect(await children(value)).toEqual([]);
  });

  it('writes the sum of the previous lengths as the offset', async () => {
    const text = 'A first sentence. Then 😀 another one.\nAnd a third, which is longer. End.';
    for (const overrides of [
      {},
      { chunksToMerge: 3, chunksToOverlap: 2 },
      { overlapPercentage: 30 },
      { characterLimit: 5 },
    ]) {
      let offset = 0;
      for (const chunk of await children(text, overrides)) {
        expect(chunk).toMatchObject({ offset, length: chunk.text.length });
        offset += chunk.length;
      }
      expect(offset).toBeGreaterThan(0);
    }
  });

  describe('with a text that has marks of pages', () => {
    const text =
      '<!-- page 1 -->\n\n# A report\n\nOne is here. Yes. It\n\n<!-- page 2 -->\n\nends here. Yes. Two.\n\n<!-- page 4 -->\n\nFour.\n';
    const placed = async (params: object) =>
      (await children(text, params as Record<string, unknown>)).map(({ text: chunk, page, pageEnd }) => [
        chunk,
        page,
        pageEnd,
      ]);

    it('removes the marks, and says on which pages a chunk begins and ends', async () => {
      expect(await placed({ cleanChunks: true })).toEqual([
        ['# A report One is here.', 1, 1],
        ['Yes.', 1, 1],
        ['It ends here.', 1, 2],
        ['Yes.', 2, 2],
        ['Two.', 2, 2],
        ['Four.', 4, 4],
      ]);
      expect(await placed({ cleanChunks: true, chunksToMerge: 3, chunksToOverlap: 1 })).toEqual([
        ['# A report One is here. Yes. It ends here.', 1, 2],
        ['It ends here. Yes. Two.', 1, 2],
        ['Two. Four.', 2, 4],
      ]);
      expect((await placed({ chunkingMethod: 'fixed', lengthToSplit: 30 })).map(([, ...pages]) => pages)).toEqual([
        [1, 1],
        [1, 4],
        [4, 4],
      ]);
    });

    it('finds the pages of chunks that were cut and lack what separates them', async () => {
      const values = { chunkingMethod: 'custom', regex: '[.\\s]+', chunksToMerge: 3, characterLimit: 12 };
      expect(await placed(values)).toEqual([
        ['# A report', 1, 1],
        ['One is here', 1, 1],
        ['Yes It ends', 1, 2],
        ['here Yes Two', 2, 2],
        ['Four', 4, 4],
      ]);
    });

    it('splits each page separately with endAtPages', async () => {
      expect(await placed({ endAtPages: true, chunkingMethod: 'paragraph', cleanChunks: true })).toEqual([
        ['# A report', 1, 1],
        ['One is here. Yes. It', 1, 1],
        ['ends here. Yes. Two.', 2, 2],
        ['Four.', 4, 4],
      ]);
    });

    it('keeps the fields of other texts, and what only looks like a mark', async () => {
      expect((await children('One. <!-- page 2 --> Two.'))[0]).not.toHaveProperty('page');
      expect(await placed({ dest: 'page' })).toHaveLength(6);
    });
  });

  it('splits at empty lines with chunkingMethod paragraph', async () => {
    const paragraph = { chunkingMethod: 'Paragraph' };
    expect(await texts('a\n\nb\r\n \r\nc\u2028\u2028d', paragraph)).toEqual(['a', 'b', 'c', 'd']);
    expect(await texts('a\r\nb\nc', paragraph)).toEqual(['a\r\nb\nc']);
    expect(await texts('\n\n\na\n\n\n\nb\n\n', paragraph)).toEqual(['a', 'b']);
  });

  it('splits at the matches of regex with chunkingMethod custom', async () => {
    expect(await texts(',a,,b,,', commas)).toEqual(['', 'a', '', 'b']);
    expect(await texts(',,,', commas)).toEqual([]);
    expect(await texts('abc', { ...commas, regex: '(?<=b)' })).toEqual(['ab', 'c']);
  });

  it('splits into slices without cutting a character', async () => {
    const fixed = (lengthToSplit: number) => ({ chunkingMethod: 'fixed', lengthToSplit });
    expect(await texts('abcdefg', fixed(3))).toEqual(['abc', 'def', 'g']);
    expect(await texts('a😀bc', fixed(2))).toEqual(['a', '😀', 'bc']);
    expect(await texts('😀😀', fixed(1))).toEqual(['😀', '😀']);
    expect(await texts('ee\u0301e', fixed(2))).toEqual(['e', 'e\u0301', 'e']);
    expect(await texts('👩‍🚀x', fixed(6))).toEqual(['👩‍🚀x']);
    expect(await texts('x\r\ny', fixed(2))).toEqual(['x', '\r\n', 'y']);
    expect((await texts('ab'.repeat(500_000), fixed(1000))).length).toBe(1000);
  });

  it('finds sentences in other scripts by the rules of Unicode', async () => {
    const unicode = { chunkingMethod: 'unicode' };
    expect(await texts('これは一つ。これは二つ。', unicode)).toEqual(['これは一つ。', 'これは二つ。']);
    expect(await texts('هل هذا؟ نعم.', unicode)).toEqual(['هل هذا؟', 'نعم.']);
    expect(await texts('A heading\n\nA text.', unicode)).toEqual(['A heading', 'A text.']);
  });

  it('removes line breaks with cleanChunks', async () => {
    const clean = { ...commas, cleanChunks: true };
    expect(await texts(' a \r\n\t b\u0085c , \n ,d  e', clean)).toEqual(['a b c', '', 'd  e']);
    expect(await texts('a \n\n\n b\u2028\u2028c', clean)).toEqual(['a b  c']);
    expect(await texts(`${' '.repeat(200_000)}x`, clean)).toEqual(['x']);
  });

  it('joins short chunks with preMergeMinChunkLen', async () => {
    const join = (preMergeMinChunkLen: number) => ({ ...commas, preMergeMinChunkLen });
    expect(await texts('aa,bb,cc,dddddd,e', join(6))).toEqual(['aa bb', 'cc dddddd e']);
    expect(await texts('a,b', join(100))).toEqual(['a b']);
    expect(await texts(' a', join(100))).toEqual([' a']);
    expect(await texts('aaaaa,bb', join(6))).toEqual(['aaaaa bb']);
  });

  it('cuts long chunks before and after merging', async () => {
    expect(await texts('abc def,gh', { ...commas, preMergeMaxChunkLen: 4 })).toEqual(['abc', 'gh']);
    expect(await texts('ab,cd,ef', { ...commas, preMergeMaxChunkLen: 1, chunksToMerge: 2 })).toEqual(['a c', 'e']);
    expect(await texts('ab😀c', { ...commas, characterLimit: 3 })).toEqual(['ab']);
    expect(await texts('ae\u0301x', { ...commas, characterLimit: 2 })).toEqual(['a']);
    expect(await texts('abc', { ...commas, characterLimit: 0 })).toEqual(['abc']);
  });

  it('merges chunks with and without overlap', async () => {
    const merge = (chunksToMerge: number, chunksToOverlap?: number) => ({ ...commas, chunksToMerge, chunksToOverlap });
    expect(await texts('a,b,c,d,e', merge(2))).toEqual(['a b', 'c d', 'e']);
    expect(await texts('a,b,c,d,e', merge(3, 2))).toEqual(['a b c', 'b c d', 'c d e']);
    expect(await texts('a,b,c,d,e', merge(3, 1))).toEqual(['a b c', 'c d e']);
    expect(await texts('a,b', merge(5, 3))).toEqual(['a b']);
    expect(await texts('a,b,c', merge(5, 3))).toEqual(['a b c']);
    expect(await texts('a', merge(3, 2))).toEqual(['a']);
  });

  it('fails a document whose merged chunks would need more than the heap', async () => {
    const large = { chunkingMethod: 'fixed', lengthToSplit: 10, chunksToMerge: 5000, chunksToOverlap: 4999 };
    const text = 'a'.repeat(4 * 2 ** 20);
    const [outcome] = await runStage(ChunkText, { source: 't', ...large }, [{ id: 'd', t: text }]);
    expect(outcome?.error).toMatch(/^A value needs \d+ MiB/);
    expect(await texts('a'.repeat(40), large)).toEqual([Array(4).fill('a'.repeat(10)).join(' ')]);
  });

  it('adds parts of neighbours with overlapPercentage', async () => {
    const overlap = (overlapPercentage: number) => ({ ...commas, overlapPercentage });
    expect(await texts('abcd,efgh,ijkl', overlap(50))).toEqual(['abcd ef', 'cd efgh ij', 'gh ijkl']);
    expect(await texts('ab,cd', overlap(200))).toEqual(['ab cd', 'ab cd']);
    expect(await texts('a😀,bb,😀c', overlap(50))).toEqual(['a😀 b', 'bb', 'b 😀c']);
    expect(await texts('ab,cd', overlap(-5))).toEqual(['ab', 'cd']);
  });

  it('reports the chunks that lose their end', async () => {
    const context = stageContext();
    const params = { source: 't', ...commas, characterLimit: 3 };
    await runStage(
      ChunkText,
      params,
      [
        { id: 'd', t: 'abcd,efg,hijkl,' },
        { id: 'e', t: 'abc   ,d' },
      ],
      context,
    );
    expect(context.collector.list()).toMatchObject([
      {
        code: 'chunk.cut',
        count: 2,
        examples: [
          { document: 'd', field: 't', value: 'abcd', hint: '3 of 4 characters' },
          { document: 'd', value: 'hijkl' },
        ],
      },
    ]);
  });

  it.each([
    [{ chunkingMethod: 'sentences' }, 'must be one of'],
    [{ chunkingMethod: 'custom' }, 'regex must not be empty'],
    [{ chunkingMethod: 'custom', regex: '(' }, 'not a regular expression'],
    [{ chunkingMethod: 'fixed' }, 'at least 1'],
    [{ chunkingMethod: 'fixed', lengthToSplit: 0 }, 'at least 1'],
    [{ chunksToMerge: 0 }, 'chunksToMerge'],
    [{ chunksToMerge: 2, chunksToOverlap: 2 }, 'less than chunksToMerge'],
    [{ chunksToOverlap: -1 }, 'chunksToOverlap'],
    [{ chunksToMerge: 3, chunksToOverlap: 1, overlapPercentage: 10 }, 'exclude each other'],
    [{ characterLimit: -2 }, 'characterLimit'],
    [{ dest: 'id' }, 'reserved'],
    [{ dest: 'offset' }, 'already has'],
  ])('refuses the parameters %j', (wrong, message) => {
    expect(() => makeStage(ChunkText, { source: 't', ...wrong })).toThrow(message);
  });
});
