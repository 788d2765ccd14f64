import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { casesFolder } from '../golden/golden-cases.ts';

/**
 * Checking a config writes nothing and connects to nothing: Node itself forbids both in the process that runs the
 * check.
 */

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Checks the configs in a JSON list, and prints the problems or the error of each. */
const SCRIPT = `
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { catalogUrl } from '@headrace/components';
import { checkConfig, Registry, readConfigText } from '@headrace/engine';
let forbidden = false;
try {
  writeFileSync('never-written', '');
} catch (error) {
  forbidden = error.code === 'ERR_ACCESS_DENIED';
}
const registry = await Registry.open({ catalogs: [catalogUrl], modules: [], base: 'file:///', allowModules: false });
const checked = [];
for (const config of JSON.parse(await text(process.stdin))) {
  const { root, problems } = readConfigText(config);
  if (root !== undefined) problems.push(...(await checkConfig(root, registry)).problems);
  checked.push(problems);
}
console.log(JSON.stringify({ forbidden, checked }));
`;

it('checks all examples and recorded configs without writing or connecting', async () => {
  const configs = globSync('examples/**/*.conf', { cwd: repository }).map((file) =>
    readFileSync(`${repository}${file}`, 'utf8'),
  );
  expect(configs.length).toBeGreaterThan(3);
  for (const suite of ['connectors', 'engine', 'indexers']) {
    for (const line of readFileSync(join(casesFolder, `${suite}.jsonl`), 'utf8').split('\n')) {
      const { config } = line === '' ? {} : (JSON.parse(line) as { config?: unknown });
      if (typeof config === 'string') configs.push(config);
    }
  }
  const node = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', SCRIPT];
  const child = spawn(process.execPath, node, { cwd: repository, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(configs));
  const { forbidden, checked } = JSON.parse(await text(child.stdout)) as { forbidden: boolean; checked: object[][] };
  expect(forbidden).toBe(true);
  expect(checked).toHaveLength(configs.length);
  expect(checked.filter((problems) => problems.length === 0).length).toBeGreaterThan(10);
  expect(JSON.stringify(checked)).not.toMatch(/ERR_ACCESS_DENIED|Access to this API/);
});
