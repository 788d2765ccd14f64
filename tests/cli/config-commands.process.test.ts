import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace, installHeadrace } from './headrace.ts';

const VALID = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: first, numDocs: 3 }]
pipelines: [{ name: first, stages: [{ class: SetStaticValues, staticValues { colour: \${?COLOUR} } }] }]
indexer { type: CSV }
csv { path: "out.csv", columns: [id, colour] }
`;

const INVALID = `connectors: [
  { class: SequenceConnectr, pipeline: first }
]
pipelines: [{ name: first, stages: [
  { class: CopyFields, fieldMaping { a: b } }
] }]
indexer { type: CSV }
csv { path: "out.csv", columns: [id] }
`;

describe('validate', () => {
  it('exits with 0 for a valid config, and writes nothing', async () => {
    const cwd = directoryWith({ 'good.conf': VALID });
    const outcome = await headrace(['validate', 'good.conf'], { cwd, env: { COLOUR: 'red' } });
    expect(outcome).toMatchObject({ code: 0, stdout: 'good.conf: valid (no problems)\n', stderr: '' });
    expect(readdirSync(cwd)).toEqual(['good.conf']);
  });

  it('reports every mistake with its position and a hint', async () => {
    const cwd = directoryWith({ 'bad.conf': INVALID });
    const { code, stdout } = await headrace(['validate', 'bad.conf'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^bad\.conf:2:12: error: .*SequenceConnectr.*Did you mean SequenceConnector\?/m);
    expect(stdout).toMatch(/^bad\.conf:5:24: error: .*fieldMaping.*Did you mean fieldMapping\?/m);
    expect(stdout).toMatch(/bad\.conf: invalid \(3 errors\)\n$/);
  });

  it('prints the problems as JSON with --json', async () => {
    const cwd = directoryWith({ 'bad.conf': INVALID });
    const { code, stdout } = await headrace(['validate', 'bad.conf', '--json'], { cwd });
    expect(code).toBe(2);
    const { valid, problems, ...rest } = JSON.parse(stdout);
    expect({ valid, rest }).toEqual({ valid: false, rest: {} });
    expect(problems).toContainEqual({
      severity: 'error',
      code: 'HR_CONFIG_UNKNOWN_PARAMETER',
      path: 'pipelines[0].stages[0].fieldMaping',
      line: 5,
      column: 24,
      component: 'CopyFields',
      message: 'Config contains unknown parent fieldMaping',
      hint: 'There is no parameter fieldMaping. Did you mean fieldMapping?',
    });
  });

  it('reports a syntax error with its position, and checks nothing more', async () => {
    const cwd = directoryWith({ 'torn.conf': 'connectors: [\n  { class: }\n' });
    const { code, stdout } = await headrace(['validate', 'torn.conf'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^torn\.conf:\d+:\d+: error: /);
  });

  it('reports the problems in the order of the config text', async () => {
    const cwd = directoryWith({ 'bad.conf': INVALID });
    const { stdout } = await headrace(['validate', 'bad.conf'], { cwd });
    expect([...stdout.matchAll(/^bad\.conf:(\d+):/gm)].map(([, line]) => line)).toEqual(['2', '5', '5']);
  });

  it('warns of what a distributed run would refuse', async () => {
    const kafka =
      'consumerGroupId: g, maxPollIntervalSecs: 300, maxRequestSize: 10\n  documentFormat: java\n  producerPropertyFile: gone.properties';
    const cwd = directoryWith({ 'films.conf': `${VALID}kafka { bootstrapServers: "broker", ${kafka} }\n` });
    const { code, stdout } = await headrace(['validate', 'films.conf'], { cwd });
    expect(code).toBe(0);
    const warnings = stdout.matchAll(/^films\.conf:(\d+):\d+: warning: .*\[(kafka.*)\]$/gm);
    expect(Array.from(warnings, ([, line, path]) => `${line} ${path}`)).toEqual([
      '6 kafka',
      '6 kafka.bootstrapServers',
      '6 kafka.maxRequestSize',
      '7 kafka.documentFormat',
      '8 kafka.producerPropertyFile',
    ]);
  });

  it('reports a mistake of the kafka block once', async () => {
    const block = 'kafka { bootstrapServers: "broker", partitions: x, documentFormat: java }';
    const cwd = directoryWith({ 'films.conf': `${VALID}${block}\n` });
    const run = await headrace(['run', 'films.conf', '--distributed'], { cwd });
    const { code, stdout } = await headrace(['validate', 'films.conf'], { cwd });
    expect([code, run.code]).toEqual([2, 2]);
    for (const text of [stdout, run.stderr]) {
      for (const once of [
        /consumerGroupId/g,
        /kafka\.partitions/g,
        /documentFormat must/g,
        /kafka\.bootstrapServers must/g,
      ]) {
        expect(text.match(once), `${once} in ${text}`).toHaveLength(1);
      }
    }
  });

  it('reads the config from standard input', async () => {
    const cwd = directoryWith();
    expect(await headrace(['validate', '-'], { cwd, input: VALID })).toMatchObject({
      code: 0,
      stdout: '<stdin>: valid (no problems)\n',
    });
    const { code, stdout } = await headrace(['validate', '-'], { cwd, input: INVALID });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^<stdin>:2:12: error: /);
  });

  it('reports a file that cannot be read, without a line number', async () => {
    const { code, stdout } = await headrace(['validate', 'no-such.conf', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).problems).toEqual([
      expect.objectContaining({ code: 'HR_SOURCE_UNREADABLE', hint: expect.stringMatching(/^Check .*\.$/) }),
    ]);
    expect(stdout).not.toContain('"line"');
  });

  it.each(['validate', 'run', 'preview'])('%s reports components that cannot be loaded', async (command) => {
    const cwd = directoryWith({ 'good.conf': VALID });
    const { code, stdout, stderr } = await headrace([command, 'good.conf', '--components', './nosuch.js'], { cwd });
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/^(good\.conf: error: |\{.*"msg":")The module .*nosuch\.js cannot be loaded: /m);
    expect(stdout + stderr).not.toContain('registry');
  });

  it('reports components that cannot be loaded as JSON with --json', async () => {
    const cwd = directoryWith({ 'good.conf': VALID });
    const args = ['validate', 'good.conf', '--components', './nosuch.js', '--json'];
    const { code, stdout } = await headrace(args, { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, problems: [{ code: 'HR_CONFIG_COMPONENT_LOAD' }] });
  });

  it('lists the classes of a module if the config names none', async () => {
    const cwd = directoryWith({
      'mine.conf': VALID.replace('SetStaticValues', '"./shout.js"').replace(/staticValues \{.*?\}\s*\}/, 'field: id'),
      'shout.js': SHOUT,
      'package.json': '{"type":"module"}',
    });
    installHeadrace(cwd);
    const { code, stdout } = await headrace(['validate', 'mine.conf'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toContain('./shout.js is a module, not a class. Name the class: ./shout.js#Shout.');
  });

  it('sets values of the config with --set', async () => {
    const cwd = directoryWith({ 'good.conf': VALID });
    const { code, stdout } = await headrace(['validate', 'good.conf', '-s', 'indexer.type=Solar'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toContain("'Solar'");
  });

  it('sets values in list elements, and reports an element that does not exist', async () => {
    const cwd = directoryWith({ 'good.conf': VALID });
    const set = (setting: string) => headrace(['validate', 'good.conf', '-s', setting], { cwd });
    expect((await set('connectors.0.numDocs=many')).stdout).toContain('overrides:1:1: error: numbers: numDocs must be');
    expect((await set('pipelines.0.stages.0.name=colours')).stdout).toBe('good.conf: valid (no problems)\n');
    expect((await set('connectors.2.numDocs=1')).stdout).toContain(
      'error: connectors has no element 2; its length is 1.',
    );
  });

  it('finds components of modules that the config or the command line names', async () => {
    const cwd = directoryWith({
      'conf/mine.conf': VALID.replace('SetStaticValues', '"./shout.js#Shout"').replace(
        /staticValues \{.*?\}\s*\}/,
        'field: id',
      ),
      'conf/shout.js': SHOUT,
      'conf/named.conf': VALID.replace('SetStaticValues', 'Shout').replace(/staticValues \{.*?\}\s*\}/, 'field: id'),
      'package.json': '{"type":"module"}',
    });
    installHeadrace(cwd);
    const named = await headrace(['validate', 'conf/mine.conf'], { cwd });
    expect(named.stdout).toBe('conf/mine.conf: valid (no problems)\n');
    expect(await headrace(['validate', 'conf/named.conf'], { cwd })).toMatchObject({ code: 2 });
    const given = await headrace(['validate', 'conf/named.conf', '--components', './conf/shout.js'], { cwd });
    expect(given.stdout).toBe('conf/named.conf: valid (no problems)\n');
  });
});

const SHOUT = `import { Stage, Type } from 'headrace';
export class Shout extends Stage {
  static parameters = Type.Object({ field: Type.String() });
  process(document) { document.set('shout', String(document.get(this.params.field)).toUpperCase() + '!'); }
}
`;

describe('validate of several configs', () => {
  it('reports the problems of each config with its name, and exits with 2 if one has errors', async () => {
    const cwd = directoryWith({ 'good.conf': VALID, 'bad.conf': INVALID });
    const { code, stdout } = await headrace(['validate', 'bad.conf', 'good.conf', 'none.conf'], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^bad\.conf:2:12: error: /);
    expect(stdout).toContain('bad.conf: invalid (3 errors)\ngood.conf: valid (no problems)\nnone.conf: error: ');
    expect(stdout).toMatch(/none\.conf: invalid \(1 error\)\n$/);
    expect(await headrace(['validate', 'good.conf', 'good.conf'], { cwd })).toMatchObject({ code: 0 });
  });

  it('prints one JSON object with an entry for each config', async () => {
    const cwd = directoryWith({ 'good.conf': VALID, 'bad.conf': INVALID });
    const { code, stdout } = await headrace(['validate', 'good.conf', 'bad.conf', '--json'], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      configs: [
        { config: 'good.conf', valid: true, problems: [] },
        { config: 'bad.conf', valid: false, problems: [{ line: 2 }, { line: 5 }, { line: 5 }] },
      ],
    });
  });
});

describe('render', () => {
  const SECRETS =
    'name: ${NAME}\npassword: hunter2\nurl: "https://me:hunter2@example.org"\ncopy: ${name}\nlist: [1, 2.0]\n';

  it('prints the resolved config as JSON, with secrets and the environment masked', async () => {
    const cwd = directoryWith({ 'a.conf': SECRETS });
    const { code, stdout } = await headrace(['render', 'a.conf', '-s', 'list=none'], { cwd, env: { NAME: 'n' } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      name: '******',
      password: '******',
      url: 'https://******:******@example.org',
      copy: '******',
      list: 'none',
    });
  });

  it('shows secrets with --show-secrets', async () => {
    const cwd = directoryWith({ 'a.conf': SECRETS });
    const { stdout } = await headrace(['render', 'a.conf', '--show-secrets'], { cwd, env: { NAME: 'n' } });
    expect(stdout).toContain('hunter2');
    expect(JSON.parse(stdout)).toMatchObject({ name: 'n', copy: 'n' });
  });

  it('reads the config from standard input', async () => {
    expect(JSON.parse((await headrace(['render', '-'], { input: 'a: 1\nb: ${a}' })).stdout)).toEqual({ a: 1, b: 1 });
  });

  it('prints HOCON that resolves to the same config', async () => {
    const cwd = directoryWith({ 'a.conf': VALID });
    const json = (await headrace(['render', 'a.conf'], { cwd })).stdout;
    const hocon = (await headrace(['render', 'a.conf', '--hocon'], { cwd })).stdout;
    expect(hocon).not.toBe(json);
    const again = directoryWith({ 'b.conf': hocon });
    expect((await headrace(['render', join(again, 'b.conf')])).stdout).toBe(json);
  });

  it('rejects a config that cannot be resolved', async () => {
    const cwd = directoryWith({ 'a.conf': 'a: 1\nb: ${nowhere}\n' });
    const { code, stdout, stderr } = await headrace(['render', 'a.conf'], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^a\.conf:2:4: error: .*nowhere/);
  });
});

describe('worker', () => {
  it('reports mistakes in the properties of a Kafka client with their positions', async () => {
    const text = `connectors: [{ class: SequenceConnector, pipeline: p, numDocs: 1 }], pipelines: [{ name: p, stages: [] }]
indexer { type: Nop }
kafka { bootstrapServers: "localhost:9092", consumerGroupId: g, maxPollIntervalSecs: 60, maxRequestSize: 100000
  consumer { session.timeout.ms: long }
  producer {
    "request.timeout.ms": soon }
  adminPropertyFile: missing.properties }
`;
    const { code, stderr } = await headrace(['worker', 'a.conf'], { cwd: directoryWith({ 'a.conf': text }) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^a\.conf:7:22: error: The property file missing\.properties cannot be read/m);
    const rest = text.replace('  adminPropertyFile: missing.properties ', '');
    const other = await headrace(['worker', 'a.conf'], { cwd: directoryWith({ 'a.conf': rest }) });
    expect(other.stderr).toMatch(/^a\.conf:4:34: error: session\.timeout\.ms must be a whole number/m);
    expect(other.stderr).toMatch(/^a\.conf:6:27: error: request\.timeout\.ms must be a whole number/m);
  });
});
