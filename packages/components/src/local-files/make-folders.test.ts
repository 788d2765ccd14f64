import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFileConnector } from '../connectors/run-file-connector.test.lib.ts';
import { makeFolders } from './local-files.ts';
import { openOutputFile } from './output-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-folders-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('folders', () => {
  it('missing folders are created with their parents, even if another run creates them too', async () => {
    const path = join(folder, 'a/b/c/d');
    await Promise.all(Array.from({ length: 20 }, () => makeFolders(path)));
    await makeFolders(relative(process.cwd(), path));
    await makeFolders('/');
    expect(existsSync(path)).toBe(true);
  });

  it('folders are not created at the path of a file or a broken link', async () => {
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'nothing'), join(folder, 'link'));
    await expect(makeFolders(join(folder, 'file'))).rejects.toThrow('EEXIST');
    await expect(makeFolders(join(folder, 'file/a/b'))).rejects.toThrow('ENOTDIR');
    await expect(makeFolders(join(folder, 'link'))).rejects.toThrow('EEXIST');
  });
});

// Node's recursive mkdir loops forever in such folders.
describe.skipIf(!existsSync('/proc/self'))('in a file system that does not allow new folders', () => {
  it('an output is rejected', async () => {
    await expect(openOutputFile('/proc/x/y/out.csv', false)).rejects.toThrow(
      'Cannot write to /proc/x/y/out.csv: no folder can be created in /proc',
    );
  });

  it('the state of a connector is rejected', async () => {
    const state = { connectionString: 'jdbc:sqlite:/proc/x/y/state.db' };
    await expect(runFileConnector(folder, { state })).rejects.toThrow(
      'The state in /proc/x/y/state.db cannot be opened: no folder can be created in /proc',
    );
  });
});
