import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

function runJson(text: string) {
  const path = join(harness.directory, 'in.jsonl');
  writeFileSync(path, text);
  return harness.run(configOf({ connector: `class: JSONConnector, jsonPath: "${path}"` }));
}

function run(bytes: string | Uint8Array, settings = '') {
  const path = join(harness.directory, 'in.csv');
  writeFileSync(path, bytes);
  return harness.run(configOf({ connector: `class: CSVConnector, path: "${path}" ${settings}` }));
}

describe('a run of a broken CSV file', () => {
  it('fails if the rest of the file was not read, and counts the rows before', async () => {
    const result = await run('k\n1\n2\n"open\n3\n4\n');
    expect(accountsOf(result)).toMatchObject({ published: 2, succeeded: 2, failed: 0 });
    expect(result.status).toBe('FAILED');
    expect(result.problems).toMatchObject([
      { code: 'HR_SOURCE_INCOMPLETE', message: expect.stringMatching(/in\.csv:4:1: a quote .* was not read$/) },
    ]);
  });

  it('reports text after closing quotes and undecodable bytes in its summary', async () => {
    const result = await run(Buffer.from('k,v\n"1"x,\xe9\n"2",\xe9\xe9\n', 'latin1'));
    expect(result.status).toBe('SUCCEEDED');
    expect(result.message).toMatch(/Notice csv\.textAfterQuote \(suspect\) in c: 1\. First: .*in\.csv:2:4/);
    expect(result.message).toMatch(/Notice bytes\.invalid \(changed\) in c: 3\. First: .*in\.csv:2: byte 0xE9/);
  });

  it('counts a row with too long a cell as failed, and continues', async () => {
    const result = await run('k\n1\n"a\nb\nc"\n2\n', ', maxLinesPerCell: 2');
    expect(accountsOf(result)).toMatchObject({ published: 3, succeeded: 2, failed: 1 });
  });
});

describe('a run of a JSON file', () => {
  it('reads a thousand objects on one line', async () => {
    const result = await runJson(Array.from({ length: 1000 }, (_, i) => `{"id": "r${i}", "v": ${i}}`).join(''));
    expect(accountsOf(result)).toMatchObject({ published: 1000, succeeded: 1000, failed: 0 });
    expect(result.status).toBe('SUCCEEDED');
  });

  it('fails if JSON Lines end inside a record, and counts the records before', async () => {
    const lines = Array.from({ length: 104 }, (_, i) => `{"id": "${i}", "title": "title ${i}"}\n`);
    const result = await runJson(lines.join('').slice(0, -15));
    expect(accountsOf(result)).toMatchObject({ published: 103, succeeded: 103, failed: 0 });
    expect(result.status).toBe('FAILED');
    expect(result.problems).toMatchObject([
      {
        code: 'HR_SOURCE_INCOMPLETE',
        message: expect.stringContaining(`(column 1, byte ${lines.slice(0, 103).join('').length}): the rest of`),
      },
    ]);
  });
});
