import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headrace, repository } from '../cli/headrace.ts';

const EXAMPLE = join(repository, 'examples/answers');
const cache = process.env.HEADRACE_SERVERS_CACHE ?? join(process.env.HOME ?? tmpdir(), '.cache/headrace-servers');
const ANSWERS_MODEL = join(cache, 'all-minilm-l6-v2');

await describeWithServer(
  'postgres',
  (server) => {
    const home = mkdtempSync(join(tmpdir(), 'headrace-answers-'));
    const [files, cacheFile] = [join(home, 'files'), join(home, 'answers.cache')];
    const env = () => ({
      ...process.env,
      ANSWERS_MODEL,
      ANSWERS_DATABASE: server.url,
      ANSWERS_FILES: files,
      ANSWERS_CACHE: cacheFile,
    });
    const node = async (script: string, ...args: string[]) =>
      (await promisify(execFile)(process.execPath, [join(EXAMPLE, script), ...args], { env: env() })).stdout;
    const run = async () => {
      const { code, stdout, stderr } = await headrace(['run', 'examples/answers/pgvector.conf'], { env: env() });
      expect(code, stderr + stdout).toBe(0);
      return stdout;
    };

    beforeAll(async () => {
      await promisify(execFile)(join(EXAMPLE, 'get-model.sh'), [ANSWERS_MODEL]);
      cpSync(join(EXAMPLE, 'files'), files, { recursive: true });
      await node('create-table.mjs');
      await run();
    }, 600_000);
    afterAll(() => rmSync(home, { recursive: true }));

    describe('the example answers', () => {
      it.each(['pgvector', 'opensearch'])('has a valid config for %s', async (name) => {
        const path = `examples/answers/${name}.conf`;
        const { stdout } = await headrace(['validate', path], { env: env() });
        expect(stdout).toBe(`${path}: valid (no problems)\n`);
      });

      it.each([
        ['How long is the warranty of a carbon frame?', 'warranty.pdf, page 1', 'five years'],
        ['What must I do if a battery smells strange?', 'handbook.docx', 'metal box with sand'],
        ['What is the price of renting an electric bicycle for a day?', 'prices.xlsx', '| Electric bicycle | 8 | 39 |'],
        ['When is the repair shop not open?', 'summer.pptx, page 3', 'tenth to the fourteenth of August'],
        ['I do not like the bike from your web shop. Can I send it back?', 'questions.html', 'within thirty days'],
      ])('finds the passage for: %s', async (question, file, text) => {
        const [first] = (await node('ask.mjs', question)).split('\n\n0.');
        expect(first).toContain(file);
        expect(first).toContain(text);
      });

      it('finds the new text of a file that has changed, and nothing of the old one', async () => {
        writeFileSync(join(files, 'questions.html'), '<h1>Dogs</h1><p>Dogs must wait outside since May.</p>');
        await run();
        const answer = await node('ask.mjs', 'May I bring my dog?');
        expect(answer).toContain('Dogs must wait outside');
        expect(answer).not.toContain('dogs are welcome');
      });
    });
  },
  { POSTGRES_PGVECTOR: '1' },
);
