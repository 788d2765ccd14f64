// `npm test`: installs, builds, lints and runs all tests. The last line shows how many passed and failed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './lib/prepare.mjs';
import { run } from './lib/root.mjs';
import { lintSteps } from './lint.mjs';

await prepare();
let passed = 0;
const failures = [];

for (const [command, args] of lintSteps) {
  const name = `${command} ${args.join(' ')}`;
  console.log(`\n${name}`);
  if ((await run(command, args)) === 0) passed++;
  else failures.push(name);
}

console.log('\nvitest run');
const directory = mkdtempSync(join(tmpdir(), 'headrace-test-'));
const report = join(directory, 'report.json');
const files = process.argv.slice(2);
const code = await run('vitest', [
  'run',
  ...files,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
]);
count(code);
rmSync(directory, { recursive: true, force: true });

for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
if (failures.length > 0) process.exitCode = 1;

/** Adds the tests of the report. A file that could not be loaded counts as one failure. */
function count(exitCode) {
  const before = failures.length;
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    failures.push(`vitest wrote no report: ${error.message}`);
    return;
  }
  for (const { name, status, assertionResults } of results) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    passed += assertionResults.filter((test) => test.status === 'passed').length;
    for (const test of failed) failures.push(`${name}: ${test.fullName}`);
    if (status === 'failed' && failed.length === 0) failures.push(name);
  }
  if (exitCode !== 0 && failures.length === before) failures.push(`vitest ended with exit code ${exitCode}`);
}
