import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { headrace, repository } from '../cli/headrace.ts';
import { commandsOf, fileOf, isWholeConfig, missingLines, readPages } from './page.ts';
import { pageDirectory } from './page-directory.ts';

const run = promisify(execFile);
const docs = join(repository, 'docs');
const taskPages = readPages(join(docs, 'tasks'));
const pages = [...readPages(docs), ...taskPages];

describe.each(pages)('$name', (page) => {
  it('contains only complete configs that are valid, without a warning', async () => {
    const directory = pageDirectory(page);
    for (const block of page.blocks.filter(isWholeConfig)) {
      const file = fileOf(block) ?? `line-${block.line}.conf`;
      writeFileSync(join(directory, file), block.text);
      const { stdout } = await headrace(['validate', file], { cwd: directory });
      expect(stdout, `${page.name}:${block.line}`).toBe(`${file}: valid (no problems)\n`);
    }
  });
});

/**
 * Pages with commands. Those of service.md need a service, and those of tasks need servers:
 * `service.process.test.ts` and `task-pages.server.test.ts` run them.
 */
const sessions = pages.filter(
  (page) => page.name !== 'service.md' && !taskPages.includes(page) && page.blocks.some(isSession),
);

describe.each(sessions)('the commands of $name', (page) => {
  it('print the output that the page shows', async () => {
    const directory = pageDirectory(page);
    const env = { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH']}` };
    for (const shown of page.blocks.filter(isSession).flatMap(commandsOf)) {
      const { stdout, stderr } = await run('sh', ['-c', shown.command], { cwd: directory, env }).catch(
        (error: { stdout: string; stderr: string }) => error,
      );
      const said = `${stderr}\n${stdout}`;
      expect(missingLines(shown.output, said), `${page.name}:${shown.line}: ${shown.command}\n${said}`).toEqual([]);
    }
  });
});

function isSession({ language }: { language: string }): boolean {
  return language === 'console';
}
