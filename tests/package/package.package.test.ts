import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedPackage, Project, packPackages, repository, run } from './packed-packages.ts';

const MINUTES = 60_000;
const MEGABYTE = 1024 ** 2;
/** The maximum disk space of `npm install headrace`, without Node. */
const MAX_BYTES = 120 * MEGABYTE;
const DISK_BLOCK = 4096;

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

/** A component in the JSON of `headrace components`. */
interface Listed {
  readonly class: string;
  readonly package: string;
}

const PLUGIN_CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 3 }]
pipelines: [{ name: main, stages: [] }]
indexer { type: Qdrant }
qdrant { url: "http://localhost:1", collection: a }
`;

const LIBRARIES_CONFIG = `
connectors: [
  { class: FileConnector, name: files, pipeline: main
    paths: ["s3://bucket/a", "gs://bucket/a", "https://account.blob.core.windows.net/container/a"]
    s3 { region: x }, gcp { pathToServiceKey: key.json }, azure { connectionString: x } }
  { class: DatabaseConnector, name: rows, pipeline: main, sql: "select 1", idField: id
    driver: "com.microsoft.sqlserver.jdbc.SQLServerDriver"
    connectionString: "jdbc:sqlserver://localhost;databaseName=d", jdbcUser: u, jdbcPassword: p }
]
pipelines: [{ name: main, stages: [] }]
indexer { class: NopIndexer }
`;

/** A config with the file path in a document, so that a check of the config does not find it. */
const LATE_CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 1 }]
pipelines: [{ name: main, stages: [
  { class: SetStaticValues, staticValues { path: "s3://bucket/key" } }
  { class: FetchFileContent, filePathField: path, s3 { region: x } }
] }]
indexer { type: Nop }
`;

let directory: string;
let project: Project;
let packed: PackedPackage;
let plugin: PackedPackage;

/** Returns the disk space of a folder. */
function diskUsage(folder: string): number {
  let bytes = 0;
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const { size } = lstatSync(join(file.parentPath, file.name));
    bytes += Math.ceil(size / DISK_BLOCK) * DISK_BLOCK;
  }
  return bytes;
}

describe('the package that users install', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'headrace-package-'));
    project = new Project(join(directory, 'project'));
    const folders = ['packages/headrace', 'plugins/vector-stores'];
    [packed, plugin] = (await packPackages(directory, folders)) as [PackedPackage, PackedPackage];
    await project.install(packed.tarball);
    writeFileSync(join(project.path, 'a.conf'), CONFIG);
    writeFileSync(join(project.path, 'shout.js'), STAGE);
  }, 10 * MINUTES);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('takes less than 120 MB of disk space', () => {
    expect(diskUsage(join(project.path, 'node_modules'))).toBeLessThan(MAX_BYTES);
  });

  it('contains the command line', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'packages/headrace/package.json'), 'utf8'));
    expect(await project.run('npx', ['headrace', '--version'])).toBe(`${version}\n`);
  });

  it('contains the components and their descriptions', async () => {
    const list = [join(repository, 'packages/headrace/bin/headrace.js'), 'components', '--json'];
    const here = JSON.parse((await run(process.execPath, list, { maxBuffer: 64 * 1024 ** 2 })).stdout) as Listed[];
    // The repository also finds its plugins, which users install separately.
    const builtIn = here.filter((component) => component.package === '@headrace/components');
    expect(builtIn.length).toBeGreaterThan(80);
    expect(JSON.parse(await project.headrace('components', '--json'))).toEqual(builtIn);
  });

  it('runs a config with a custom stage that imports it', async () => {
    expect(await project.headrace('run', 'a.conf')).toContain('3 docs succeeded.');
    const [first] = readFileSync(join(project.path, 'out.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first as string)).toMatchObject({ id: '0', shout: 'HELLO' });
  });

  it('does not replace the Node version of the user', () => {
    expect(existsSync(join(project.path, 'node_modules/.bin/headrace'))).toBe(true);
    expect(existsSync(join(project.path, 'node_modules/.bin/node'))).toBe(false);
  });

  it('names the required Node version on a machine with an older one', async () => {
    const old = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})';
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` };
    const { code, stderr } = await project.fail(project.program, ['validate', 'a.conf'], env);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('headrace needs Node.js 26') });
  });

  it('lists each missing library of a config, with its position and the install command', async () => {
    writeFileSync(join(project.path, 'libraries.conf'), LIBRARIES_CONFIG);
    const { peerDependencies } = JSON.parse(
      readFileSync(join(repository, 'packages/components/package.json'), 'utf8'),
    ) as { peerDependencies: Record<string, string> };
    const { code, stdout } = await project.fail(project.program, ['validate', '--json', 'libraries.conf']);
    const { problems } = JSON.parse(stdout) as { problems: { code: string; path: string; message: string }[] };
    const command = (name: string) =>
      expect.stringContaining(`needs a package that is not installed: npm install ${name}@${peerDependencies[name]}`);
    expect({ code, problems }).toMatchObject({
      code: 2,
      problems: [
        { path: 'connectors[0].paths[0]', line: 4, message: command('@aws-sdk/client-s3') },
        { path: 'connectors[0].paths[1]', line: 4, message: command('@google-cloud/storage') },
        { path: 'connectors[0].paths[2]', line: 4, message: command('@azure/storage-blob') },
        { path: 'connectors[1].connectionString', line: 8, message: command('mssql') },
      ].map((problem) => ({ ...problem, code: 'HR_LIBRARY_MISSING' })),
    });
  });

  it('fails a document that needs a missing library, with the install command', async () => {
    writeFileSync(join(project.path, 'late.conf'), LATE_CONFIG);
    const { stderr } = await project.fail(project.program, ['run', 'late.conf']);
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
    const records = lines.map((line) => JSON.parse(line));
    expect(records).toContainEqual(
      expect.objectContaining({
        id: '0',
        code: 'HR_LIBRARY_MISSING',
        reason: expect.stringMatching(/^Cannot read s3:.*: npm install @aws-sdk\/client-s3@\^/),
      }),
    );
  });

  it('names the plugin of a component that is not installed, with the install command', async () => {
    writeFileSync(join(project.path, 'plugin.conf'), PLUGIN_CONFIG);
    const { stdout } = await project.fail(project.program, ['validate', 'plugin.conf']);
    expect(stdout).toContain('npm install @headrace/vector-stores');
    expect((await project.fail(project.program, ['components', 'QdrantIndexr'])).stderr).toContain('QdrantIndexer?');
    for (const name of ['QdrantIndexer', 'qdrant']) {
      const { stderr } = await project.fail(project.program, ['components', name]);
      expect(stderr).toContain('npm install @headrace/vector-stores');
    }
  });

  describe('with more packages in the same project', () => {
    // One installation for all, because npm takes long.
    beforeAll(() => project.install('mssql', plugin.tarball, '@types/node'), 10 * MINUTES);

    it('uses a library after it is installed', async () => {
      const { stdout } = await project.fail(project.program, ['validate', 'libraries.conf']);
      expect(stdout).toContain('npm install @aws-sdk/client-s3');
      expect(stdout).not.toContain('mssql');
    });

    it('finds and loads the components of a plugin after it is installed', async () => {
      const listed = JSON.parse(await project.headrace('components', '--json')) as Listed[];
      const ofPlugin = listed.filter((component) => component.package === '@headrace/vector-stores');
      expect(ofPlugin.map((component) => component.class)).toContain('QdrantIndexer');
      // This message comes from a check in the code of the indexer.
      const { stdout } = await project.fail(project.program, ['validate', 'plugin.conf']);
      expect(stdout).toMatch(/vectorField/);
    });

    it('has types that the TypeScript examples compile with in strict mode', async () => {
      expect(await project.compileExamples('packages/headrace/README.md', 'docs/custom-components.md')).toBe(2);
    });
  });
});
