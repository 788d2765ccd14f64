// `npm run answers -- "QUESTION"`: reads the files of examples/answers into Postgres, and shows the passages that answer
// the question. Starts a Postgres with pgvector unless ANSWERS_DATABASE names one.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './lib/prepare.mjs';
import { env, root } from './lib/root.mjs';

const DEFAULT_QUESTION = 'How long is the warranty of a carbon frame?';
const question = process.argv[2] ?? DEFAULT_QUESTION;
const folder = join(root, 'examples/answers');
const server = join(root, 'tests/servers/postgres');
const variables = { ...env, POSTGRES_PGVECTOR: '1', POSTGRES_PORT: '5434' };

await prepare();
if (!process.env.ANSWERS_MODEL && !existsSync(join(folder, 'model'))) console.log('Downloading the model (91 MB)…');
if (!process.env.ANSWERS_MODEL) run(join(folder, 'get-model.sh'), []);
const database = process.env.ANSWERS_DATABASE ?? startPostgres();
const settings = { ...variables, ANSWERS_DATABASE: database };
run('node', [join(folder, 'create-table.mjs')], settings);
run('headrace', ['run', 'examples/answers/pgvector.conf'], settings);
console.log(`\n${question}\n`);
run('node', [join(folder, 'ask.mjs'), question], settings);
if (process.env.ANSWERS_DATABASE === undefined) {
  console.log(`Postgres is running. Stop it with: POSTGRES_PORT=5434 tests/servers/postgres wipe`);
}

function startPostgres() {
  const printed = execFileSync(server, ['start'], { env: variables, stdio: ['ignore', 'pipe', 'inherit'] }).toString();
  return /^url: (.*)$/m.exec(printed)?.[1];
}

function run(command, args, environment = variables) {
  execFileSync(command, args, { cwd: root, env: environment, stdio: 'inherit' });
}
