import { readdirSync } from 'node:fs';
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
  const second =
    'pipelines: ${pipelines} [{ name: second, stages: [{ class: SetStaticValues, staticValues { b: 2 } }] }]\n';
  const cwd = directoryWith({ ...files, 'a.conf': files['a.conf'] + second });
  installHeadrace(cwd);
  return cwd;
}

describe('preview', () => {
  it('shows what the pipeline makes of the first documents; nothing is written', async () => {
    const cwd = prepare();
    const before = readdirSync(cwd);
    const { code, stdout, stderr } = await headrace(['preview', 'a.conf', '--limit', '4'], { cwd });
    expect(stdout).toBe('{"id":"0","colour":"red"}\n{"id":"3","colour":"red"}\n');
    expect(stderr).toContain('dropped: 2\n');
    expect(stderr).toMatch(/^failed: .*I do not like 1/m);
    expect(code).toBe(1);
    expect(readdirSync(cwd)).toEqual(before);
  });

  it('takes documents from a file or from standard input, numbers untouched', async () => {
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

  it('gives everything it knows of each document as JSON', async () => {
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

  it('goes through another pipeline when told so', async () => {
    const cwd = prepare();
    const args = ['preview', 'a.conf', '--pipeline', 'second', '--documents', '-'];
    expect((await headrace(args, { cwd, input: '{"id":"1"}' })).stdout).toBe('{"id":"1","b":2}\n');
    const { code, stderr } = await headrace(['preview', 'a.conf', '--pipeline', 'secnd'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean second?');
  });

  it('says what is wrong with a config or a file', async () => {
    const cwd = prepare();
    expect(await headrace(['preview', 'a.conf', '-s', 'indexer.type=Solar'], { cwd })).toMatchObject({ code: 2 });
    const { code, stderr } = await headrace(['preview', 'a.conf', '--documents', 'none.jsonl'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('none.jsonl cannot be read');
  });
});
