import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FetchFileContent } from './fetch-file-content.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-fetch-'));
  await writeFile(join(folder, 'a b%20.txt'), 'text');
  await writeFile(join(folder, 'empty'), '');
});
afterAll(() => rm(folder, { recursive: true }));

async function fetch(path: unknown, params: Record<string, unknown> = {}) {
  const [outcome] = await runStage(FetchFileContent, params, [{ id: '1', file_path: path, file_content: 'old' }]);
  return outcome?.error ?? JSON.parse(outcome?.documents[0] as string).file_content;
}

describe('FetchFileContent', () => {
  it('satisfies the stage contract', () =>
    assertStageContract(FetchFileContent, {
      params: {},
      document: { id: '1', file_path: join(folder, 'a b%20.txt') },
    }));

  it('reads local paths literally and decodes the escapes of URIs', async () => {
    const path = join(folder, 'a b%20.txt');
    const bytes = Buffer.from('text').toString('base64');
    expect(await fetch(path)).toBe(bytes);
    expect(await fetch(relative(process.cwd(), path))).toBe(bytes);
    expect(await fetch(`classpath:${relative(process.cwd(), path)}`)).toBe(bytes);
    expect(await fetch(`file://${path.replaceAll('%', '%25').replaceAll(' ', '%20')}`)).toBe(bytes);
    expect(await fetch([path, 'other'])).toBe(bytes);
    expect(await fetch(join(folder, 'empty'))).toBe('');
  });

  it('does not change documents without a path', async () => {
    expect(await fetch(null)).toBe('old');
    expect(await fetch([])).toBe('old');
  });

  it('fails documents whose file cannot be read, with the reason', async () => {
    expect(await fetch(join(folder, 'none'))).toMatch(/^Cannot read .*none: ENOENT/);
    expect(await fetch(folder)).toMatch(/folder|EISDIR/);
    expect(await fetch('file:relative')).toContain('no absolute path');
    expect(await fetch('gopher://x/y')).toContain('no storage for gopher:');
    expect(await fetch('https://example.org/a')).toContain('need the block azure');
    expect(await fetch('s3://bucket/key')).toContain('need the block s3');
    expect(await fetch('https://example.org/a', { azure: { accountName: 'acc', accountKey: 'a2V5' } })).toContain(
      'not in storage account acc',
    );
  });

  it('fails on pipes, devices and files that are too large', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    expect(await fetch(pipe)).toContain('not a regular file');
    expect(await fetch('/dev/zero')).toContain('not a regular file');
    await mkdir(join(folder, 'big'));
    await writeFile(join(folder, 'big', 'file'), '');
    await truncate(join(folder, 'big', 'file'), 300 * 1024 * 1024);
    expect(await fetch(join(folder, 'big', 'file'))).toContain('too many for one field');
  });

  it('refuses invalid settings', () => {
    expect(() => makeStage(FetchFileContent, { s3: { accessKeyId: 'a' } })).toThrow('only one of accessKeyId');
    expect(() => makeStage(FetchFileContent, { s3: { endpoint: 'localhost:9000' } })).toThrow('s3.endpoint must begin');
    expect(() => makeStage(FetchFileContent, { azure: { accountName: 'a' } })).toThrow('only one of accountName');
    expect(() => makeStage(FetchFileContent, { gcp: {} })).toThrow('pathToServiceKey');
    expect(() => makeStage(FetchFileContent, { fileContentField: 'id' })).toThrow('reserved');
  });
});
