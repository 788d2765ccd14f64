import { describe, expect, it } from 'vitest';
import { configFiles, SEQUENCE } from './fixtures.ts';
import { directoryWith, headrace, installHeadrace, repository } from './headrace.ts';

const NOISY = `import { Connector, Document, Indexer, Stage, Type } from 'headrace';
process.emitWarning('the module of ' + (process.argv[2] ?? 'nothing') + ' warns');

export class NoisyStage extends Stage {
  static parameters = Type.Object({});
  start() { process.emitWarning('the stage is deprecated', 'DeprecationWarning'); }
  process(document) { console.error('two lines\\nof ' + document.id); console.error('{"json":"of a library"}'); }
}

export class NoisyConnector extends Connector {
  static parameters = Type.Object({});
  async execute(publisher) {
    process.emitWarning('the connector warns');
    process.stderr.write('without an end');
    await publisher.publish(Document.create('a'));
  }
}

export class NoisyIndexer extends Indexer {
  static parameters = Type.Object({});
  static block = undefined;
  encoder() { return undefined; }
  async send() { return []; }
}
`;

function prepare(files: Record<string, string>): string {
  const cwd = directoryWith(files);
  installHeadrace(cwd);
  return cwd;
}

/** Returns the JSON objects on standard error of a command line. Throws if a line is not a JSON object. */
async function records(args: readonly string[], cwd: string, options: object = {}) {
  const { stderr, code } = await headrace(args, { cwd, ...options });
  const lines = stderr.split('\n').filter((line) => line !== '');
  return { code, records: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('standard error that is not a terminal has one JSON object per line', () => {
  it('for warnings of Node and output of components, in every thread', async () => {
    const cwd = prepare({
      ...configFiles('class: "./noisy.js#NoisyConnector"', '{ class: "./noisy.js#NoisyStage" }'),
      'noisy.js': NOISY,
    });
    const { code, records: all } = await records(['run', 'a.conf'], cwd);
    expect(code).toBe(0);
    const said = all.map(({ msg }) => msg);
    expect(said).toContain('two lines');
    expect(said).toContain('of a');
    // It is no record of the log, also if it looks like one.
    expect(said).toContain('{"json":"of a library"}');
    expect(said.join('\n')).toContain('the connector warns');
    expect(said.join('\n')).toContain('DeprecationWarning: the stage is deprecated');
    expect(said.join('\n')).toContain('without an end');
    expect(all.filter(({ logger }) => logger === 'stderr')).toContainEqual(
      expect.objectContaining({ level: 'warn', time: expect.any(Number) }),
    );
  });

  it('for warnings of a custom indexer, which only the thread of the run loads', async () => {
    const cwd = prepare({
      'package.json': '{"type":"module"}',
      'noisy.js': NOISY,
      'a.conf': `connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [] }], indexer { class: "./noisy.js#NoisyIndexer" }`,
    });
    const { records: all } = await records(['run', 'a.conf'], cwd);
    const warned = all.filter(({ msg }) => String(msg).includes('the module of'));
    expect(warned).toEqual([
      expect.objectContaining({
        level: 'warn',
        logger: 'stderr',
        msg: expect.stringContaining('Warning: the module of nothing warns'),
      }),
    ]);
  });

  it('for the summary, if the documents go to standard output', async () => {
    const cwd = prepare(configFiles(SEQUENCE));
    const { records: all } = await records(['run', 'a.conf', '-s', 'jsonl.path=-'], cwd);
    expect(all.at(-1)).toMatchObject({ level: 'info', msg: expect.stringContaining('RUN SUMMARY: Success.') });
  });

  it('for the warnings and errors of a config', async () => {
    const cwd = prepare({ ...configFiles(SEQUENCE), 'torn.conf': 'connectors: [\n  { class: }\n' });
    const warned = await records(['run', 'a.conf', '-s', 'pipelines.0.stagess=1'], cwd);
    expect(warned.records).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        logger: 'config',
        code: 'HR_CONFIG_UNUSED',
        hint: 'Did you mean stages?',
      }),
    );
    const torn = await records(['run', 'torn.conf'], cwd);
    expect(torn.code).toBe(2);
    expect(torn.records[0]).toMatchObject({ level: 'error', code: 'HR_CONFIG_SYNTAX', file: 'torn.conf', line: 1 });
  });

  it('for mistakes on the command line and in its files', async () => {
    const cwd = prepare(configFiles(SEQUENCE));
    for (const args of [
      ['run', 'a.conf', '--dryrun', 'x'],
      ['run'],
      ['run', 'a.conf', '-s', 'novalue'],
      ['run', 'a.conf', '--retry', 'none.jsonl'],
      ['run', 'none.conf'],
      ['run', 'a.conf', '--components', './none.js'],
    ]) {
      const { code, records: all } = await records(args, cwd);
      expect(code, args.join(' ')).toBe(2);
      expect(all.length, args.join(' ')).toBeGreaterThan(0);
    }
  });

  it('for an unhandled error', async () => {
    const cwd = prepare(configFiles(SEQUENCE));
    const crash = `data:text/javascript,process.once('newListener', () => setImmediate(() => { throw new Error('a bug'); }))`;
    const { code, records: all } = await records(['run', 'a.conf'], cwd, { nodeOptions: ['--import', crash] });
    expect(code).toBe(1);
    expect(all).toContainEqual(
      expect.objectContaining({ level: 'error', msg: expect.stringContaining('Error: a bug') }),
    );
  });

  it('for a Node that is too old, before the command line is loaded', async () => {
    const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`;
    const { records: all } = await records(['run', 'a.conf'], repository, {
      nodeOptions: ['--import', old],
    });
    expect(all).toMatchObject([{ level: 'error', msg: expect.stringContaining('needs Node.js') }]);
  });
});
