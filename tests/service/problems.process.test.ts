import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headrace } from '../cli/headrace.ts';
import { finished, kill, type Served, serve, startRun } from './served.ts';

/*
 * A config has the same problems wherever it is checked: on the command line, at validation, at both kinds of upload, in
 * a preview and in a run. A config with warnings can run, and then the run reports the same warnings.
 */

interface Reported {
  severity: string;
  code: string;
  path: string;
  line?: number;
  column?: number;
  message: string;
}

/** Configs by name, with the codes of their problems in order. A text that begins with a brace is JSON, else HOCON. */
const CONFIGS: Readonly<Record<string, readonly [text: string, codes: readonly string[]]>> = {
  'unknown keys in every section': [
    `wroker { threads: 2 }
connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1, nmeDocs: 2 }]
pipelines: [{ name: p, stagse: 1, stages: [{ class: TrimWhitespace, fields: [a], fieds: [b] }] }]
indexer { type: Nop, batchsize: 3 }`,
    [
      'HR_CONFIG_UNUSED',
      'HR_CONFIG_UNKNOWN_PARAMETER',
      'HR_CONFIG_UNUSED',
      'HR_CONFIG_UNKNOWN_PARAMETER',
      'HR_CONFIG_UNKNOWN_PARAMETER',
    ],
  ],
  'a missing pipeline and duplicate names': [
    `connectors: [{ class: SequenceConnector, name: c, pipeline: no, numDocs: 1 }, { class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [] }, { name: p, stages: [] }]
indexer { type: Nop }`,
    ['HR_CONFIG_MISSING_PIPELINE', 'HR_CONFIG_DUPLICATE_NAME', 'HR_CONFIG_DUPLICATE_NAME'],
  ],
  'unknown classes, wrong types and wrong values, also in nested blocks': [
    `connectors: [{ class: SequenceConector, pipeline: p, numDocs: 1 }, { class: FileConnector, pipeline: p, paths: [x], fileOptions { getFileContnt: true } }]
pipelines: [{ name: p, threads: 0, stages: [{ class: RenameFields, fieldMapping: 5 }, { class: CopyFields, fieldMapping { a: b }, updateMode: overwritten }] }]
indexer { type: Nopp }`,
    [
      'HR_CONFIG_UNKNOWN_CLASS',
      'HR_CONFIG_UNKNOWN_PARAMETER',
      'HR_CONFIG_INVALID_VALUE',
      'HR_CONFIG_WRONG_TYPE',
      'HR_CONFIG_INVALID_VALUE',
      'HR_CONFIG_UNKNOWN_CLASS',
    ],
  ],
  'only warnings': [
    `connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [{ class: TrimWhitespace, fields: [a], conditionPolicy: any }] }, { name: lonely, stages: [] }]
indexer { type: Nop, logRate: 5 }
log.seconds: 0
runnr {}`,
    ['HR_CONFIG_UNUSED', 'HR_CONFIG_UNUSED', 'HR_CONFIG_UNUSED', 'HR_CONFIG_INVALID_VALUE', 'HR_CONFIG_UNUSED'],
  ],
  'a substitution without a value, and a syntax error': [
    `connectors: \${nothing}
pipelines: [`,
    ['HR_CONFIG_UNRESOLVED', 'HR_CONFIG_SYNTAX'],
  ],
  'JSON over several lines': [
    `{
  "note": "ours",
  "connectors": [{ "class": "SequenceConnector", "name": "c", "pipeline": "p", "numDocs": "many" }],
  "pipelines": [
    { "name": "p", "stages": [
      { "class": "TrimWhitespace", "felds": ["a"] }
    ] }
  ],
  "indexer": { "type": "Nop", "batchSize": -1 }
}`,
    [
      'HR_CONFIG_UNUSED',
      'HR_CONFIG_WRONG_TYPE',
      'HR_CONFIG_MISSING_PARAMETER',
      'HR_CONFIG_UNKNOWN_PARAMETER',
      'HR_CONFIG_INVALID_VALUE',
    ],
  ],
};

let served: Served;
let directory: string;

describe('the problems of a config', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'headrace-problems-'));
    writeFileSync(join(directory, 'service.yml'), 'server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\n');
    served = await serve(directory);
  });
  afterAll(async () => {
    await kill(served);
    rmSync(directory, { recursive: true, force: true });
  });

  async function post(path: string, body: string, type: string): Promise<{ status: number; answer: Answer }> {
    const response = await fetch(`${served.url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    return { status: response.status, answer: (await response.json()) as Answer };
  }

  for (const [name, [text, codes]] of Object.entries(CONFIGS)) {
    it(`are equal in all five places: ${name}`, async () => {
      const isJson = text.startsWith('{');
      const type = isJson ? 'application/json' : 'application/hocon';
      const file = join(directory, isJson ? 'config.json' : 'config.conf');
      writeFileSync(file, text);

      const line = await headrace(['validate', file, '--json'], { cwd: directory });
      const expected = (JSON.parse(line.stdout) as { problems: Reported[] }).problems.map(bare);
      expect(expected.map(({ code }) => code)).toEqual(codes);
      for (const { line, column, path } of expected) {
        expect([line, column], path).toEqual([expect.any(Number), expect.any(Number)]);
      }
      const valid = expected.every(({ severity }) => severity === 'warning');

      const validated = await post('/v1/config/validate', text, type);
      expect(validated.status).toBe(200);
      expect(validated.answer.valid).toBe(valid);
      expect(validated.answer.problems?.map(bare)).toEqual(expected);

      const strict = await post('/v1/config?validate=true', text, type);
      expect(strict.status).toBe(valid ? 200 : 400);
      expect(strict.answer.problems?.map(bare)).toEqual(expected);

      const config = isJson ? text : JSON.stringify(text);
      const at = isJson
        ? (problem: Reported) => moved(problem, '{"documents": [], "config": '.length)
        : (p: Reported) => p;
      const previewed = await post('/v1/preview', `{"documents": [], "config": ${config}}`, 'application/json');
      expect(previewed.status).toBe(valid ? 200 : 400);
      expect(previewed.answer.problems?.map(bare)).toEqual(expected.map(at));

      const stored = await post('/v1/config', text, type);
      expect(stored.answer.problems?.map(bare)).toEqual(expected);
      if (stored.answer.configId === undefined) return;
      const { runId } = await startRun(served.url, stored.answer.configId);
      const { runResult } = await finished(served.url, runId);
      expect((runResult as unknown as { problems: Reported[] }).problems.map(bare)).toEqual(expected);
      expect(runResult?.status).toBe(valid);
    });
  }

  it('include unreachable servers if a connection check is requested, on the command line and over HTTP', async () => {
    const text = `connectors: [{ class: CSVConnector, name: c, pipeline: p, path: "${join(directory, 'no-such-file.csv')}" }]
pipelines: [{ name: p, stages: [] }]
indexer { type: Solr }, solr { url: "http://127.0.0.1:9/solr/c", userName: u, password: "secret word" }`;
    writeFileSync(join(directory, 'connect.conf'), text);
    const line = await headrace(['validate', 'connect.conf', '--connect', '--json'], { cwd: directory });
    expect(line.code).toBe(2);
    const expected = (JSON.parse(line.stdout) as { problems: Reported[] }).problems;
    expect(expected).toMatchObject([
      {
        code: 'HR_CONFIG_UNREACHABLE',
        path: 'connectors[0]',
        line: 1,
        message: expect.stringContaining('no-such-file'),
      },
      { code: 'HR_CONFIG_UNREACHABLE', path: 'solr', line: 3, message: expect.stringContaining('refused') },
    ]);
    const { status, answer } = await post('/v1/config/validate?connect=true', text, 'application/hocon');
    expect(status).toBe(200);
    expect(answer).toEqual({ valid: false, problems: expected });
    expect((await post('/v1/config/validate', text, 'application/hocon')).answer).toEqual({
      valid: true,
      problems: [],
    });
  });
});

interface Answer {
  valid?: boolean;
  configId?: string;
  problems?: Reported[];
}

/** Returns a problem without its file name. */
function bare({ file: _, ...problem }: Reported & { file?: string }): Reported {
  return problem;
}

/** Returns a problem with its position in a larger text, where the first line of the config begins further right. */
function moved(problem: Reported, columns: number): Reported {
  return problem.line === 1 ? { ...problem, column: (problem.column ?? 0) + columns } : problem;
}
