import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const ROWS = 30_000;

/** A file of several chunks: title lines, comments, a separator of two characters, and one bad row in a thousand. */
function odd(): string {
  let text = 'Report "May\r\n\r\n';
  for (let row = 0; row < ROWS; row++) {
    if (row % 100 === 0) text += '# a comment with "quotes\r\n';
    text += row % 1000 === 999 ? `${row}||too short\r\n` : `${row}||'name || ${row}' ||${'x'.repeat(30)}||\r\n`;
  }
  return text;
}

const SETTINGS = `, skipLines: 2, commentPrefix: "#", separatorChar: "||", quoteChar: "'", columns: [no, name, text], idField: no`;

describe('a run of a CSV file with an unusual syntax', () => {
  const path = join(harness.directory, 'odd.csv');
  writeFileSync(path, odd());
  const fileSettings = SETTINGS.replace(', ', '');

  it.each([
    ['CSVConnector, one thread', 1, `class: CSVConnector, path: "${path}" ${SETTINGS}`],
    ['CSVConnector, three threads', 3, `class: CSVConnector, path: "${path}" ${SETTINGS}`],
    [
      'FileConnector, three threads',
      3,
      `class: FileConnector, paths: ["${path}"], fileHandlers { csv { ${fileSettings} } }`,
    ],
  ])('has exact accounts and notices: %s', async (_, threads, connector) => {
    const result: RunResult = await harness.run(configOf({ connector, rest: `worker.threads: ${threads}` }));
    const failed = ROWS / 1000;
    expect(accountsOf(result)).toMatchObject({ published: ROWS, succeeded: ROWS - failed, failed });
    expect(result.notices.map(({ code, count }) => [code, count])).toEqual([['csv.extraCell', ROWS - failed]]);
    expect(result.notices[0]?.examples[0]?.line).toBe(4);
  });
});
