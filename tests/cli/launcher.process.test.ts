import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { headrace, repository } from './headrace.ts';

const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})',
];

it('headrace on a Node that is too old rejects every command and names the version to install', async () => {
  for (const args of [['--help'], ['serve', 'service.yml'], ['run', 'a.conf']]) {
    const { code, stdout, stderr } = await headrace(args, { nodeOptions: OLD_NODE });
    expect({ code, stdout }, args[0]).toEqual({ code: 1, stdout: '' });
    expect(stderr, args[0]).toContain(
      'headrace needs Node.js 26 or newer, and this is 20.0.0. Install a newer one from ',
    );
  }
});

it('the Node version that headrace requires equals `engines` of its package', () => {
  const read = (file: string) => readFileSync(join(repository, 'packages/headrace', file), 'utf8');
  const [, needed] = /^const NEEDED = (\d+);$/m.exec(read('bin/headrace.js')) ?? [];
  expect(JSON.parse(read('package.json'))).toMatchObject({ engines: { node: `>=${needed}` } });
});
