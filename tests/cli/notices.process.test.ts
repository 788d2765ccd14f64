import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configFiles } from './fixtures.ts';
import { directoryWith, headrace } from './headrace.ts';

const CSV = 'class: CSVConnector, path: cities.csv';
const FIRST = 'First: cities.csv:2: byte 0xFC is not UTF-8';

/** Returns a folder with a config whose file has a byte that is not UTF-8. */
function prepare(): string {
  const cwd = directoryWith(configFiles(CSV));
  writeFileSync(join(cwd, 'cities.csv'), Buffer.from('key,city\n1,M\u00fcnchen\n', 'latin1'));
  return cwd;
}

it('run has notices in its summary and as a record of its JSON log', async () => {
  const { code, stdout, stderr } = await headrace(['run', 'a.conf'], { cwd: prepare() });
  expect(code).toBe(0);
  expect(stdout).toContain(`\nNotice bytes.invalid (changed) in source: 1. ${FIRST}\n`);
  const records = stderr.split('\n').flatMap((line) => (line.includes('"code"') ? [JSON.parse(line)] : []));
  expect(records).toEqual([
    {
      level: 'info',
      time: expect.any(Number),
      runId: expect.any(String),
      logger: 'source',
      code: 'bytes.invalid',
      class: 'changed',
      component: 'source',
      count: 1,
      examples: [{ file: 'cities.csv', line: 2, hint: 'byte 0xFC is not UTF-8' }],
      msg: `Notice bytes.invalid (changed) in source: 1. ${FIRST}`,
    },
  ]);
});

it('run fails with exit code 1 if runner.notices says so', async () => {
  const failed = await headrace(['run', 'a.conf', '--set', 'runner.notices.changed=fail'], { cwd: prepare() });
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('RUN SUMMARY: Failure.');
  expect(failed.stdout).toContain('1 case of the notice bytes.invalid, and at most 0 are allowed (runner.notices)');
});

it('preview and validate --connect show the notices of the first records', async () => {
  const cwd = prepare();
  const preview = await headrace(['preview', 'a.conf'], { cwd });
  expect(preview.stderr).toContain(`Notice bytes.invalid (changed) in source: 1. ${FIRST}\n`);
  const validate = await headrace(['validate', 'a.conf', '--connect'], { cwd });
  expect(validate.code).toBe(0);
  expect(validate.stdout).toContain(`warning: CSVConnector (source): Notice in the first records: bytes.invalid`);
});
