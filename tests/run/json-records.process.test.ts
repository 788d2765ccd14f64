import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const PAGES = 40;
const ITEMS = 500;

describe('a run of JSON records inside an object', () => {
  const path = join(harness.directory, 'in.json');
  const pages = Array.from({ length: PAGES }, (_, page) => {
    const items = Array.from({ length: ITEMS }, (_, item) =>
      item === 7
        ? '"no object"'
        : `{"key": "${page}-${item}", "v": ${item === 8 ? 'NaN' : item}, "t": "${'x'.repeat(40)}"}`,
    );
    return `{"links": {"next": [1, 2]}, "items": [\n${items.join(',\n')}\n]}`;
  });
  writeFileSync(path, `{"total": 1, "pages": [${pages.join(', ')}]}`);
  const settings = 'recordsPath: "$.pages[*].items[*]", idField: key, nonFinite: null';

  it.each([
    ['JSONConnector, one thread', 1, `class: JSONConnector, jsonPath: "${path}", ${settings}`],
    ['JSONConnector, three threads', 3, `class: JSONConnector, jsonPath: "${path}", ${settings}`],
    [
      'FileConnector, three threads',
      3,
      `class: FileConnector, paths: ["${path}"], fileHandlers { json { ${settings} } }`,
    ],
  ])('has exact accounts and notices: %s', async (_, threads, connector) => {
    const result = await harness.run(configOf({ connector, rest: `worker.threads: ${threads}` }));
    expect(accountsOf(result)).toMatchObject({
      published: PAGES * ITEMS,
      succeeded: PAGES * (ITEMS - 1),
      failed: PAGES,
    });
    expect(result.notices.map(({ code, count }) => [code, count])).toEqual([['json.nonFinite', PAGES]]);
  });
});
