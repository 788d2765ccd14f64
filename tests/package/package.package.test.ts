import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const MINUTES = 60_000;

const CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 3 }]
pipelines: [{ name: main, stages: [{ class: "./shout.js#Shout", text: hello }] }]
indexer { type: JSONLines }
jsonl { path: out.jsonl }
`;

const STAGE = `import { Stage, Type } from 'headrace';
export class Shout extends Stage {
  static parameters = Type.Object({ text: Type.String() });
  process(document) { document.set('shout', this.params.text.toUpperCase()); }
}
`;

let directory: string;
let project: string;

/** Runs a command in the project that has installed the package. */
async function inProject(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run(command, args, { cwd: project, env: { ...process.env, ...env } });
  return stdout;
}

/** Packs a copy: packing changes the package's directory for a while, and other tests read there. */
async function pack(): Promise<string> {
  const copy = join(directory, 'repository');
  const filter = (path: string) => !path.includes('.test.');
  for (const name of readdirSync(join(repository, 'packages'))) {
    for (const part of ['package.json', 'dist', 'bundle', 'bin']) {
      const from = join(repository, 'packages', name, part);
      if (existsSync(from)) cpSync(from, join(copy, 'packages', name, part), { recursive: true, filter });
    }
  }
  cpSync(join(repository, 'scripts/pack'), join(copy, 'scripts/pack'), { recursive: true });
  const room = join(copy, 'packages/headrace');
  const manifest = readFileSync(join(room, 'package.json'), 'utf8');
  await run('npm', ['pack', '--silent'], { cwd: room });
  expect(readFileSync(join(room, 'package.json'), 'utf8')).toBe(manifest);
  const tarballs = readdirSync(room).filter((file) => file.endsWith('.tgz'));
  expect(tarballs).toHaveLength(1);
  return join(room, tarballs[0] as string);
}

describe('the package that users install', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'headrace-package-'));
    project = join(directory, 'project');
    mkdirSync(project);
    const tarball = await pack();
    writeFileSync(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}');
    await inProject('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball]);
    writeFileSync(join(project, 'a.conf'), CONFIG);
    writeFileSync(join(project, 'shout.js'), STAGE);
  }, 10 * MINUTES);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('has the command line', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'packages/headrace/package.json'), 'utf8'));
    expect(await inProject('npx', ['headrace', '--version'])).toBe(`${version}\n`);
  });

  it('has the components and their descriptions', async () => {
    const here = await run(process.execPath, [join(repository, 'packages/headrace/bin/headrace.js'), 'components']);
    expect(await inProject('npx', ['headrace', 'components'])).toBe(here.stdout);
  });

  it('runs a config with a custom stage that imports it', async () => {
    expect(await inProject('npx', ['headrace', 'run', 'a.conf'])).toContain('3 docs succeeded.');
    const [first] = readFileSync(join(project, 'out.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first as string)).toMatchObject({ id: '0', shout: 'HELLO' });
  });

  it('brings the Node that it needs, for machines with an older one', async () => {
    // The options reach the Node that it is handed over to as well, which is what it says.
    const old =
      'process.env.HEADRACE_LAUNCHED||Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})';
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` };
    expect(await inProject('npx', ['headrace', 'validate', 'a.conf'], env)).toBe('a.conf: valid (no problems)\n');
  });
});
