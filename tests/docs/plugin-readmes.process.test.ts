import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { expect, it } from 'vitest';
import { headrace, repository } from '../cli/headrace.ts';
import { isWholeConfig, readPages } from './page.ts';
import { pageDirectory } from './page-directory.ts';

const plugins = readdirSync(join(repository, 'plugins'));

it.each(plugins)('the configs in the README of the plugin %s are valid', async (name) => {
  const [page] = readPages(join(repository, 'plugins', name)).filter((page) => page.name === 'README.md');
  const configs = page?.blocks.filter(isWholeConfig) ?? [];
  expect(configs.length).toBeGreaterThan(0);
  if (page === undefined) return;
  const directory = pageDirectory(page);
  const PATH = [dirname(ffmpegPath), process.env.PATH].join(delimiter);
  const env = { OPENAI_API_KEY: 'key', PINECONE_API_KEY: 'key', PATH };
  for (const [i, { text, line }] of configs.entries()) {
    const file = `${i}.conf`;
    writeFileSync(join(directory, file), text);
    const { stdout } = await headrace(['validate', file], { cwd: directory, env });
    expect(stdout, `plugins/${name}/README.md:${line}`).toBe(`${file}: valid (no problems)\n`);
  }
});
