import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ParseFilePath } from './parse-file-path.ts';

async function parse(path: unknown, params: Record<string, unknown> = {}) {
  const [outcome] = await runStage(ParseFilePath, { fileSep: '/', ...params }, [{ id: '1', file_path: path }]);
  const { id: _, file_path: __, ...fields } = JSON.parse(outcome?.documents[0] ?? '{}');
  return outcome?.error === undefined ? fields : outcome.error;
}

describe('ParseFilePath', () => {
  it('satisfies the stage contract', () =>
    assertStageContract(ParseFilePath, { params: {}, document: { id: '1', file_path: '/a/b.txt' } }));

  it.each([
    ['/x.txt', 'x.txt', '/', '/x.txt', 'TXT'],
    ['x', 'x', '', 'x', ''],
    ['.bashrc', '.bashrc', '', '.bashrc', 'BASHRC'],
    ['a/c.tar.gz', 'c.tar.gz', 'a', 'a/c.tar.gz', 'GZ'],
    ['C:\\d\\f', 'f', 'C:/d', 'C:/d/f', ''],
    ['C:\\f.x', 'f.x', 'C:', 'C:/f.x', 'X'],
    ['C:x.txt', 'C:x.txt', 'C:', 'C:x.txt', 'TXT'],
    ['C:d/x', 'x', 'C:d', 'C:d/x', ''],
    ['~/x.txt', 'x.txt', '~', '~/x.txt', 'TXT'],
    ['//server/share/f.txt', 'f.txt', '//server/share', '//server/share/f.txt', 'TXT'],
    ['s3://b/k', 'k', 's3:/b', 's3:/b/k', ''],
    ['a.b/c.', 'c.', 'a.b', 'a.b/c.', ''],
    ['q.html?x=1.2', 'q.html?x=1.2', '', 'q.html?x=1.2', '2'],
    ['', '', '', '', ''],
  ])('splits the path %s', async (path, filename, folder, normal, extension) => {
    const { file_paths: _, ...fields } = await parse(path);
    expect(fields).toEqual({
      filename: [filename],
      folder: [folder],
      path: [normal],
      file_extension: [extension],
    });
  });

  it('uses a drive as the folder of a file without a folder', async () => {
    const expected = { filename: ['C:x.txt'], folder: ['C:'], path: ['C:x.txt'], file_extension: ['TXT'] };
    expect(await parse('C:x.txt', { fileSep: '\\' })).toEqual(expected);
    expect((await parse('C:d\\x.txt', { fileSep: '\\' })).folder).toEqual(['C:d']);
  });

  it('lists the parent folders without leading separators', async () => {
    expect((await parse('/a/b/c.txt')).file_paths).toEqual(['a', 'a/b']);
    expect((await parse('C:\\d\\f', { fileSep: '\\' })).file_paths).toEqual(['C:', 'C:\\d']);
    expect((await parse('//server/share/f')).file_paths).toEqual(['server', 'server/share']);
    expect(await parse('x.txt')).not.toHaveProperty('file_paths');
  });

  it('adds the parts to existing values', async () => {
    const [outcome] = await runStage(ParseFilePath, { includeHierarchy: false }, [
      { id: '1', file_path: ['a.txt', 'b.txt'], filename: 'old' },
    ]);
    expect(JSON.parse(outcome?.documents[0] as string).filename).toEqual(['old', 'a.txt']);
  });

  it('does not change documents without a path', async () => {
    expect(await parse(null)).toEqual({});
    expect(await parse([])).toEqual({});
  });

  it.each(['../x', '/a/../../b', ':x', '///a', 'a/../../b'])('fails on the path %s', async (path) => {
    expect(await parse(path)).toContain('is not a path of a file');
  });

  it('refuses separators other than slash and backslash', () => {
    expect(() => makeStage(ParseFilePath, { fileSep: ':' })).toThrow('fileSep must be "/" or "\\"');
  });
});
