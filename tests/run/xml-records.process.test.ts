import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const COUNT = 20_000;

describe('a run of an XML file with bad elements', () => {
  const path = join(harness.directory, 'in.xml');
  const elements = Array.from({ length: COUNT }, (_, i) =>
    i % 1000 === 7 ? `<e><id>${i}</id>a & b</e>` : `<e><id>${i}</id><t>${'x'.repeat(40)}</t></e>`,
  );
  writeFileSync(path, `<list>\n${elements.join('\n')}\n</list>`);
  const settings = 'xmlRootPath: /list/e, xmlIdPath: /list/e/id, encoding: utf-8, outputField: xml';

  it.each([
    ['XMLConnector, one thread', 1, `class: XMLConnector, filePaths: ["${path}"], ${settings}`],
    ['XMLConnector, three threads', 3, `class: XMLConnector, filePaths: ["${path}"], ${settings}`],
    ['FileConnector', 2, `class: FileConnector, paths: ["${path}"], fileHandlers { xml { ${settings} } }`],
  ])('counts each of them as failed, and reads the others: %s', async (_, threads, connector) => {
    const result = await harness.run(configOf({ connector, rest: `worker.threads: ${threads}` }));
    const failed = COUNT / 1000;
    expect(accountsOf(result)).toMatchObject({ published: COUNT, succeeded: COUNT - failed, failed });
  });
});
