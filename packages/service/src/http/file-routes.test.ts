import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { type TestService, testService } from '../testing/test-service.test.support.ts';

const BYTES = 'application/octet-stream';
const limits = { ...defaultSettings().limits, minFreeDiskMb: 0 };

interface StoredFile {
  name: string;
  path: string;
  bytes: number;
}

async function put(service: TestService, name: string, body: string, query = '') {
  return service.ask(`/v1/file/${encodeURIComponent(name)}${query}`, { method: 'PUT', body, type: BYTES });
}

async function listed(service: TestService): Promise<StoredFile[]> {
  return ((await service.ask('/v1/file')).json as { items: StoredFile[] }).items;
}

describe('uploaded files', () => {
  it('are stored for their owner only, listed, replaced only if the request says so, and deleted', async () => {
    const path = temporaryDirectory();
    const service = await testService({ storage: { type: 'sqlite', path }, limits });
    expect(await listed(service)).toEqual([]);
    const added = await put(service, 'my products (2).csv', 'sku\n1\n');
    expect(added.status).toBe(201);
    const file = added.json as StoredFile;
    expect(file).toMatchObject({
      name: 'my products (2).csv',
      path: join(path, 'files/my products (2).csv'),
      bytes: 6,
    });
    expect(readFileSync(file.path, 'utf8')).toBe('sku\n1\n');
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, 'files')).mode & 0o777).toBe(0o700);

    expect((await put(service, file.name, 'other')).json).toMatchObject({ status: 409, code: 'HR_FILE_EXISTS' });
    expect(readFileSync(file.path, 'utf8')).toBe('sku\n1\n');
    expect((await put(service, file.name, 'other', '?replace=true')).status).toBe(200);
    expect(readFileSync(file.path, 'utf8')).toBe('other');
    await put(service, 'a.json', '{}');
    expect((await listed(service)).map(({ name }) => name)).toEqual(['a.json', 'my products (2).csv']);

    expect((await service.ask('/v1/file/a.json', { method: 'DELETE' })).status).toBe(204);
    expect((await service.ask('/v1/file/a.json', { method: 'DELETE' })).json).toMatchObject({
      code: 'HR_FILE_NOT_FOUND',
    });
    expect(readdirSync(join(path, 'files'))).toEqual(['my products (2).csv']);
  });

  it('have names that cannot become paths', async () => {
    const service = await testService({ limits });
    const names = ['../a', 'a/b', '.hidden', '..', 'a\\b', '-a', 'a ', 'a.', 'a\nb', '${x}', 'ü.csv', 'a'.repeat(129)];
    for (const name of names) {
      for (const method of ['PUT', 'DELETE']) {
        const body = method === 'PUT' ? { body: 'x', type: BYTES } : {};
        const answer = await service.ask(`/v1/file/${encodeURIComponent(name)}`, { method, ...body });
        // The client itself resolves the name of the directory above.
        expect({ name, status: answer.status }).toEqual({ name, status: name === '..' ? 404 : 400 });
      }
    }
    expect(await listed(service)).toEqual([]);
  });

  it('are files only: links and directories in the folder are not listed, replaced, followed or removed', async () => {
    const path = temporaryDirectory();
    const secret = join(path, 'secret');
    writeFileSync(secret, 'key');
    mkdirSync(join(path, 'files/folder'), { recursive: true });
    symlinkSync(secret, join(path, 'files/link'));
    symlinkSync(join(path, 'new'), join(path, 'files/dangling'));
    const service = await testService({ storage: { type: 'sqlite', path }, limits });
    expect(await listed(service)).toEqual([]);
    for (const name of ['folder', 'link', 'dangling']) {
      const answer = await put(service, name, 'x', '?replace=true');
      expect(answer.json).toMatchObject({ status: 409, code: 'HR_FILE_EXISTS' });
      expect((await service.ask(`/v1/file/${name}`, { method: 'DELETE' })).status).toBe(404);
    }
    expect(readFileSync(secret, 'utf8')).toBe('key');
    expect(readdirSync(join(path, 'files')).sort()).toEqual(['dangling', 'folder', 'link']);
  });

  it('are limited: each file, all files together, and the free space on the disk', async () => {
    const service = await testService({ limits: { ...limits, maxFileBytes: 10, maxFilesBytes: 15 } });
    expect((await put(service, 'large', '12345678901')).json).toMatchObject({
      status: 413,
      code: 'HR_REQUEST_TOO_LARGE',
    });
    expect((await put(service, 'first', '1234567890')).status).toBe(201);
    expect((await put(service, 'second', '123456')).json).toMatchObject({ status: 400, code: 'HR_FILE_STORE_FULL' });
    expect((await put(service, 'second', '12345')).status).toBe(201);
    const full = await testService({ limits: { ...limits, minFreeDiskMb: 1024 * 1024 * 1024 } });
    expect((await put(full, 'a', '1')).json).toMatchObject({ code: 'HR_FILE_STORE_FULL' });
  });

  it('are bytes of a known number, uncompressed', async () => {
    const service = await testService({ limits });
    const asText = await service.ask('/v1/file/a', { method: 'PUT', body: 'a', type: 'text/csv' });
    expect(asText.json).toMatchObject({
      status: 415,
      message: 'The body must be application/octet-stream, not text/csv',
    });
    const noSize = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${service.url}/v1/file/a`, { method: 'PUT', headers: { 'content-type': BYTES } });
      request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
      request.write('a');
      request.end('b');
    });
    expect(noSize).toBe(400);
    expect((await put(service, 'a', '')).json).toMatchObject({ status: 400, code: 'HR_REQUEST_EMPTY_BODY' });
    expect(await listed(service)).toEqual([]);
  });

  it('appear only when they have arrived, and leave nothing if the client goes away', async () => {
    const path = temporaryDirectory();
    const service = await testService({ storage: { type: 'sqlite', path }, limits });
    const headers = { 'content-type': BYTES, 'content-length': 10 };
    const request = httpRequest(`${service.url}/v1/file/a`, { method: 'PUT', headers });
    request.on('error', () => undefined);
    request.write('12345');
    const files = () => readdirSync(join(path, 'files'));
    await expect.poll(() => (readdirSync(path).includes('files') ? files().length : 0)).toBe(1);
    expect(await listed(service)).toEqual([]);
    expect((await put(service, 'a', 'other', '?replace=true')).json).toMatchObject({
      code: 'HR_FILE_EXISTS',
      hint: 'Wait until the other upload has ended, or use another name.',
    });
    request.destroy();
    await expect.poll(files).toEqual([]);
    expect((await put(service, 'a', 'other')).status).toBe(201);
  });

  it('do not count as memory of request bodies', async () => {
    const service = await testService({ limits });
    const body = 'x'.repeat(2 * 1024 * 1024);
    expect((await put(service, 'two megabytes', body)).status).toBe(201);
    expect((await listed(service))[0]?.bytes).toBe(body.length);
  });

  it('that did not arrive before the service was killed are removed at its start', async () => {
    const path = temporaryDirectory();
    mkdirSync(join(path, 'files'));
    writeFileSync(join(path, 'files/.part-1'), 'half');
    writeFileSync(join(path, 'files/whole.csv'), 'a');
    const service = await testService({ storage: { type: 'sqlite', path }, limits });
    expect((await listed(service)).map(({ name }) => name)).toEqual(['whole.csv']);
    expect(readdirSync(join(path, 'files'))).toEqual(['whole.csv']);
  });
});
