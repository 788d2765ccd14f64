import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFiles, SEQUENCE } from './fixtures.ts';
import { directoryWith, headrace, installHeadrace } from './headrace.ts';

const STAGES = `
  { class: "./misbehaving.js#FailOn", ids: ["1"] }
  { class: DropDocument, conditions: [{ fields: [id], values: ["2"] }] }
  { class: SetStaticValues, staticValues { colour: red } }
`;

function prepare(): string {
  const files = configFiles(SEQUENCE, STAGES);
  const second = `
pipelines: \${pipelines} [{ name: second, stages: [{ class: SetStaticValues, staticValues { b: 2 } }] }]
connectors: \${connectors} [{ name: other, pipeline: second, class: SequenceConnector, numDocs: 1 }]
`;
  const cwd = directoryWith({ ...files, 'a.conf': files['a.conf'] + second });
  installHeadrace(cwd);
  return cwd;
}

describe('preview', () => {
  it('shows the results of the first documents, and writes nothing', async () => {
    const cwd = prepare();
    const before = readdirSync(cwd);
    const { code, stdout, stderr } = await headrace(['preview', 'a.conf', '--limit', '4'], { cwd });
    expect(stdout).toBe('{"id":"0","colour":"red"}\n{"id":"3","colour":"red"}\n');
    expect(stderr).toContain('dropped: 2\n');
    expect(stderr).toMatch(/^failed: .*I do not like 1/m);
    expect(code).toBe(1);
    expect(readdirSync(cwd)).toEqual(before);
  });

  it('reads documents from a file or from standard input, and keeps numbers exact', async () => {
    const cwd = prepare();
    const input = '{"id":"a","n":12345678901234567890,"x":1.0}\n\n{"id":"2"}\n';
    const outcome = await headrace(['preview', 'a.conf', '--documents', '-'], { cwd, input });
    expect(outcome).toMatchObject({
      code: 0,
      stdout: '{"id":"a","n":12345678901234567890,"x":1.0,"colour":"red"}\n',
      stderr: 'dropped: 2\n',
    });
    const file = directoryWith({ 'documents.jsonl': input });
    expect(await headrace(['preview', 'a.conf', '--documents', `${file}/documents.jsonl`], { cwd })).toEqual(outcome);
  });

  it('shows messages of stages on standard error, or with the document in JSON', async () => {
    const stages = '{ class: ApplyJavascript, name: talk, script: "console.warn(doc.id)" }';
    const cwd = directoryWith(configFiles(SEQUENCE, stages));
    installHeadrace(cwd);
    const args = ['preview', 'a.conf', '--limit', '1'];
    expect(await headrace(args, { cwd })).toMatchObject({ code: 0, stdout: '{"id":"0"}\n', stderr: 'warn: talk: 0\n' });
    const { stdout } = await headrace([...args, '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ log: [{ level: 'warn', stage: 'talk', message: '0' }] });
  });

  it('prints all results, messages and errors of each document as JSON', async () => {
    const cwd = prepare();
    const input = '{"id":"0"}\n{"id":"1"}\n{"id":"2"}\nnonsense\n';
    const { code, stdout, stderr } = await headrace(['preview', 'a.conf', '--documents', '-', '--json'], {
      cwd,
      input,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results).toEqual([
      { input: { id: '0' }, documents: [{ id: '0', colour: 'red' }], dropped: [] },
      {
        input: { id: '1' },
        documents: [],
        dropped: [],
        failure: expect.objectContaining({
          code: 'HR_STAGE_FAILED',
          message: expect.stringContaining('I do not like 1'),
        }),
      },
      { input: { id: '2' }, documents: [], dropped: ['2'] },
      {
        input: 'nonsense',
        documents: [],
        dropped: [],
        failure: expect.objectContaining({ code: 'HR_DOCUMENT_SYNTAX' }),
      },
    ]);
  });

  it('uses the pipeline of --pipeline', async () => {
    const cwd = prepare();
    const args = ['preview', 'a.conf', '--pipeline', 'second', '--documents', '-'];
    expect((await headrace(args, { cwd, input: '{"id":"1"}' })).stdout).toBe('{"id":"1","b":2}\n');
    const { code, stderr } = await headrace(['preview', 'a.conf', '--pipeline', 'secnd'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean second?');
  });

  it('counts a line with more than one document as failed, and continues', async () => {
    const cwd = prepare();
    const input = '{"id":"0"} {"id":\n{"id":"3"}\n{"id":"4"}{"id":"5"}\n';
    const { code, stdout, stderr } = await headrace(['preview', 'a.conf', '--documents', '-'], { cwd, input });
    expect(code).toBe(1);
    expect(stdout).toBe('{"id":"3","colour":"red"}\n');
    expect(stderr.trimEnd().split('\n')).toEqual([
      'failed: There is more text after the document: {"id":. Write each document on a separate line. {"id":"0"} {"id":',
      'failed: There is more text after the document: {"id":"5"}. Write each document on a separate line. {"id":"4"}{"id":"5"}',
    ]);
    const json = await headrace(['preview', 'a.conf', '--documents', '-', '--json'], { cwd, input });
    const results = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ documents, failure }) => [documents.length, failure?.code])).toEqual([
      [0, 'HR_DOCUMENT_SYNTAX'],
      [1, undefined],
      [0, 'HR_DOCUMENT_SYNTAX'],
    ]);
  });

  it('requires documents for a pipeline without a connector', async () => {
    const cwd = prepare();
    const args = ['preview', 'a.conf', '--pipeline', 'second'];
    const text = readFileSync(join(cwd, 'a.conf'), 'utf8').replace('pipeline: second', 'pipeline: main');
    writeFileSync(join(cwd, 'a.conf'), text);
    const { code, stdout, stderr } = await headrace(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('No connector feeds the pipeline second. Give it documents: --documents FILE.\n');
    const given = await headrace([...args, '--documents', '-'], { cwd, input: '{"id":"1"}' });
    expect(given).toMatchObject({ code: 0, stdout: '{"id":"1","b":2}\n' });
  });

  it('rejects standard input for both the config and the documents', async () => {
    const cwd = prepare();
    const input = readFileSync(join(cwd, 'a.conf'), 'utf8');
    const { stdout } = await headrace(['preview', '-', '--limit', '1'], { cwd, input });
    expect(stdout).toBe('{"id":"0","colour":"red"}\n');
    const { code, stderr } = await headrace(['preview', '-', '--documents', '-'], { cwd, input });
    expect(code).toBe(2);
    expect(stderr).toContain('cannot both be standard input');
  });

  it('says what is wrong with a config or a file', async () => {
    const cwd = prepare();
    expect(await headrace(['preview', 'a.conf', '-s', 'indexer.type=Solar'], { cwd })).toMatchObject({ code: 2 });
    const { code, stderr } = await headrace(['preview', 'a.conf', '--documents', 'none.jsonl'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('none.jsonl cannot be read');
  });

  it('shows what each stage does to each document', async () => {
    const cwd = prepare();
    const input = '{"id":"0","x":1.0}\n{"id":"1"}\n{"id":"2"}\n';
    const { code, stdout } = await headrace(['preview', 'a.conf', '--documents', '-', '--trace'], { cwd, input });
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        '{"id":"0","x":1.0}',
        '  stage_1 FailOn: nothing changed',
        '  stage_2 DropDocument: not for this document (conditions)',
        '  stage_3 SetStaticValues',
        '    + "colour": "red"',
        '{"id":"1"}',
        '  stage_1 FailOn: failed: I do not like 1.',
        '{"id":"2"}',
        '  stage_1 FailOn: nothing changed',
        '  stage_2 DropDocument: dropped',
        '',
      ].join('\n'),
    );
  });

  it('prints the trace as JSON', async () => {
    const cwd = prepare();
    const args = ['preview', 'a.conf', '--documents', '-', '--trace', '--json'];
    const { stdout } = await headrace(args, { cwd, input: '{"id":"0","x":1.0}\n' });
    expect(stdout.replace(/"millis":[\d.]+,/g, '"millis":0,')).toContain(
      ',"trace":[{"stage":"stage_1","class":"FailOn","millis":0,"unchanged":true},{"stage":"stage_2","class":"DropDocument","skipped":"condition"},{"stage":"stage_3","class":"SetStaticValues","millis":0,"document":{"id":"0","x":1.0,"colour":"red"}}]}',
    );
  });
});
