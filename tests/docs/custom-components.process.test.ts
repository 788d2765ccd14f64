import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { headrace, repository } from '../cli/headrace.ts';
import { isWholeConfig, type Page, readPages } from './page.ts';
import { pageDirectory } from './page-directory.ts';

const page = readPages(join(repository, 'docs')).find(({ name }) => name === 'custom-components.md') as Page;
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a server that the components of the page contact. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the components of custom-components.md', () => {
  it('are all used by a config of the page', () => {
    const configs = page.blocks.filter(isWholeConfig).map((block) => block.text);
    const classes = page.blocks
      .filter(({ language }) => language === 'js')
      .flatMap(({ text }) => [...text.matchAll(/^export class (\w+) extends/gm)].map(([, name]) => name));
    expect(classes).toHaveLength(7);
    for (const name of classes)
      expect(
        configs.some((config) => config.includes(`#${name}"`)),
        name,
      ).toBe(true);
  });

  it('look-up.js sends one request for many documents, and fails the documents without an answer', async () => {
    let waiting = 0;
    let most = 0;
    const url = await serve((request, response) => {
      most = Math.max(most, ++waiting);
      setTimeout(() => {
        waiting--;
        response.statusCode = request.url === '/7' ? 500 : 200;
        response.end(`answer to ${request.url?.slice(1)}`);
      }, 20);
    });
    const cwd = pageDirectory(page);
    const { code, stdout } = await headrace(['run', 'look-up.conf'], { cwd, env: { LOOK_UP_SERVICE: url } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('99 docs succeeded. 1 docs FAILED.') });
    const lines = readFileSync(join(cwd, 'answers.jsonl'), 'utf8').trimEnd().split('\n');
    const expected = Array.from({ length: 100 }, (_, i) => [`${i}`, `answer to ${i}`]).filter(([id]) => id !== '7');
    expect(lines.map((line) => JSON.parse(line)).map(({ id, answer }) => [id, answer])).toEqual(expected);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(32);
  });

  it('web-hook.js posts batches, and counts the failed documents in them', async () => {
    const batches: { authorization: string | undefined; ids: string[] }[] = [];
    const url = await serve(async (request, response) => {
      const lines = (await text(request)).trimEnd().split('\n');
      const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
      batches.push({ authorization: request.headers.authorization, ids });
      response.end(JSON.stringify({ failed: ids.includes('6') ? [{ index: 1, message: 'no six' }] : [] }));
    });
    const cwd = pageDirectory(page);
    const env = { HOOK: url, HOOK_TOKEN: 'secret' };
    const { code, stdout, stderr } = await headrace(['run', 'hook.conf'], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('11 docs succeeded. 1 docs FAILED.') });
    expect(stderr).toContain('no six');
    expect(batches.map(({ ids }) => ids.length)).toEqual([5, 5, 2]);
    expect(batches[0]?.authorization).toBe('Bearer secret');
  });
});
