import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf } from './index-lifecycle.ts';

describe('the files of the block create', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'definition-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['{\n  "properties": x\n}', ':2:17: not valid JSON: '],
    ['', ':1:1: not valid JSON: '],
    ['{}\n}', ': not valid JSON: Unexpected non-whitespace character after JSON at position 3 (line 2 column 1)'],
    ['[]', ' must contain a JSON object'],
  ])('that contain %j are reported with their position', async (text, message) => {
    const mappingsFile = join(folder, 'mappings.json');
    await writeFile(mappingsFile, text);
    await expect(
      definitionOf({ index: 'i', update: false, skipUnchanged: false, create: { mappingsFile, update: false } }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(`${mappingsFile}${message}`),
      hint: 'Correct the file, or its path in create.mappingsFile.',
      parameter: ['mappingsFile'],
    });
  });

  it('that are missing are reported with their parameter', async () => {
    const pipelines = new Map([['clean', join(folder, 'none.json')]]);
    await expect(
      definitionOf({ index: 'i', update: false, skipUnchanged: false, create: { pipelines, update: false } }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('none.json cannot be read: ENOENT'),
      parameter: ['pipelines', 'clean'],
    });
  });
});
