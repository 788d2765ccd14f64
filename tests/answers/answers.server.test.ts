import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headrace, repository } from '../cli/headrace.ts';

const EXAMPLE = join(repository, 'examples/answers');
const cache = process.env.HEADRACE_SERVERS_CACHE ?? join(process.env.HOME ?? tmpdir(), '.cache/headrace-servers');
const ANSWERS_MODEL = join(cache, 'all-minilm-l6-v2');
const home = mkdtempSync(join(tmpdir(), 'headrace-answers-'));
const files = join(home, 'files');
/** Both destinations get the same texts and vectors, so the second one takes them from the cache. */
const ANSWERS_CACHE = join(home, 'answers.cache');
afterAll(() => rmSync(home, { recursive: true }));

const node = async (env: NodeJS.ProcessEnv, script: string, ...args: string[]) =>
  (await promisify(execFile)(process.execPath, [join(EXAMPLE, script), ...args], { env })).stdout;

const QUESTIONS = [
  ['How long is the warranty of a carbon frame?', 'warranty.pdf, page 1', 'five years'],
  ['When is the repair shop not open?', 'summer.pptx, page 3', 'tenth to the fourteenth of August'],
  ['What must I do if a battery smells strange?', 'handbook.docx', 'metal box with sand'],
  ['What is the price of renting an electric bicycle for a day?', 'prices.xlsx', '| Electric bicycle | 8 | 39 |'],
  ['I do not like the bike from your web shop. Can I send it back?', 'questions.html', 'within thirty days'],
] as const;

interface Destination {
  readonly name: string;
  readonly questions: readonly (typeof QUESTIONS)[number][];
  readonly variables: () => Record<string, string>;
  readonly prepare: () => Promise<unknown>;
}

/** Tests the example with a destination. */
function testAnswers({ name, questions, variables, prepare }: Destination): void {
  const env = () => ({ ...process.env, ANSWERS_MODEL, ANSWERS_FILES: files, ANSWERS_CACHE, ...variables() });
  const ask = (question: string) => node(env(), 'ask.mjs', question);
  const run = async () => {
    const { code, stdout, stderr } = await headrace(['run', `examples/answers/${name}.conf`], { env: env() });
    expect(code, stderr + stdout).toBe(0);
  };

  describe(`the example answers with ${name}`, () => {
    beforeAll(async () => {
      await promisify(execFile)(join(EXAMPLE, 'get-model.sh'), [ANSWERS_MODEL]);
      rmSync(files, { recursive: true, force: true });
      cpSync(join(EXAMPLE, 'files'), files, { recursive: true });
      await prepare();
      await run();
    }, 600_000);

    it('has a valid config', async () => {
      const path = `examples/answers/${name}.conf`;
      const { stdout } = await headrace(['validate', '--connect', path], { env: env() });
      expect(stdout).toBe(`${path}: valid (no problems)\n`);
    });

    it.each(questions)('finds the passage for: %s', async (question, file, text) => {
      const [first] = (await ask(question)).split('\n\n0.');
      expect(first).toContain(file);
      expect(first).toContain(text);
    });

    it('finds the new text of a file that has changed, and nothing of the old one', async () => {
      writeFileSync(join(files, 'questions.html'), '<h1>Dogs</h1><p>Dogs must wait outside since May.</p>');
      await run();
      const answer = await ask('May I bring my dog?');
      expect(answer).toContain('Dogs must wait outside');
      expect(answer).not.toContain('dogs are welcome');
    });

    it('finds nothing of a file that was deleted', async () => {
      const question = QUESTIONS[0][0];
      expect(await ask(question)).toContain('warranty.pdf');
      rmSync(join(files, 'warranty.pdf'));
      await run();
      expect(await ask(question)).not.toContain('warranty.pdf');
    });
  });
}

await describeWithServer(
  'postgres',
  (server) => {
    const variables = () => ({ ANSWERS_DATABASE: server.url, OPENSEARCH_URL: '' });
    testAnswers({
      name: 'pgvector',
      questions: QUESTIONS,
      variables,
      prepare: () => node({ ...process.env, ...variables() }, 'create-table.mjs'),
    });
  },
  { POSTGRES_PGVECTOR: '1' },
);

await describeWithServer(
  'postgres',
  (server) => {
    const settings = { ANSWERS_MODEL, ANSWERS_FILES: join(EXAMPLE, 'files'), ANSWERS_CACHE };
    const env = () => ({ ...process.env, ...settings, ANSWERS_DATABASE: server.url, OPENSEARCH_URL: '' });

    it('npm run answers reads the files of the example and answers a question', async () => {
      await promisify(execFile)(join(EXAMPLE, 'get-model.sh'), [ANSWERS_MODEL]);
      const [question, file, passage] = QUESTIONS[1];
      const script = join(repository, 'scripts/answers.mjs');
      const { stdout } = await promisify(execFile)(process.execPath, [script, question], { env: env() });
      // A build would replace the files that other tests run.
      expect(stdout).toContain('setup: the build is up to date');
      const answer = stdout.slice(stdout.lastIndexOf(question));
      expect(answer).toContain(file);
      expect(answer).toContain(passage);
    }, 600_000);

    it('ask.mjs ends without an error if the reader of its output ends first', async () => {
      const asked = spawn(process.execPath, [join(EXAMPLE, 'ask.mjs'), QUESTIONS[0][0]], { env: env() });
      // The pipe is closed before anything is written.
      asked.stdout.destroy();
      const [printed, [code]] = await Promise.all([text(asked.stderr), once(asked, 'exit')]);
      expect([printed, code]).toEqual(['', 0]);
    });
  },
  { POSTGRES_PGVECTOR: '1' },
);

await describeWithServer('opensearch', (server) => {
  const remove = () => fetch(`${server.url}/passages`, { method: 'DELETE' });
  afterAll(remove);
  const variables = () => ({ OPENSEARCH_URL: server.url });
  testAnswers({ name: 'opensearch', questions: QUESTIONS.slice(0, 2), variables, prepare: remove });
});
