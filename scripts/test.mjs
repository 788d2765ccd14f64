// `npm test`: installs, builds, lints and runs all tests. The last line shows how many passed and failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { prepare } from './lib/prepare.mjs';
import { collect, root } from './lib/root.mjs';
import { runVitest } from './lib/run-vitest.mjs';
import { lintSteps } from './lint.mjs';

/** How long Vitest may take to remove its servers and processes after the last test, in milliseconds. */
const END_MILLIS = 90_000;

installServers();
await prepare();
let passed = 0;
const failures = [];

// Most tests wait for processes and servers. Lint uses the processors meanwhile.
const lint = collectLint();

console.log('vitest run');
const directory = mkdtempSync(join(tmpdir(), 'headrace-test-'));
const report = join(directory, 'report.json');
const files = process.argv.slice(2);
const vitest = await runVitest(
  ['run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  report,
  END_MILLIS,
);
count(vitest);
rmSync(directory, { recursive: true, force: true });

for (const { name, output, exitCode } of await lint) {
  console.log(`\n${name}\n${output}`);
  if (exitCode === 0) passed++;
  else failures.push(name);
}

for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
if (failures.length > 0) process.exitCode = 1;

/**
 * Starts to install the real servers that tests use. On a new machine this takes minutes, mostly of downloads. Tests
 * that need a server wait for its installation, and report what fails.
 */
function installServers() {
  const names = 'gcs opensearch kafka elasticsearch solr s3 azurite mariadb postgres redis qdrant tika';
  const script = `for name in ${names}; do nice tests/servers/$name install; done; ELASTICSEARCH_VERSION=7.17.28 tests/servers/elasticsearch install; POSTGRES_PGVECTOR=1 tests/servers/postgres install`;
  // A separate process group, so that a compiler started by an installation ends too.
  const installation = spawn('sh', ['-c', script], { cwd: root, detached: true, stdio: 'ignore' });
  installation.on('error', () => undefined);
  installation.unref();
  process.on('exit', () => {
    if (installation.pid === undefined || installation.exitCode !== null) return;
    try {
      process.kill(-installation.pid);
    } catch {
      // The process has already ended.
    }
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
}

/** Runs the steps of lint in sequence. Returns their output. */
async function collectLint() {
  const results = [];
  for (const [command, args] of lintSteps) {
    results.push({ name: [command, ...args].join(' '), ...(await collect(command, args)) });
  }
  return results;
}

/** Adds the tests of the report. A file that could not be loaded counts as one failure. */
function count({ exitCode, left }) {
  if (left !== undefined) failures.push(`vitest did not end after its tests. These processes were left:\n${left}`);
  const before = failures.length;
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    failures.push(`vitest wrote no report: ${error.message}`);
    return;
  }
  printSlowest(results);
  for (const { name, status, assertionResults } of results) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    passed += assertionResults.filter((test) => test.status === 'passed').length;
    for (const test of failed) failures.push(`${name}: ${test.fullName}`);
    if (status === 'failed' && failed.length === 0) failures.push(name);
  }
  if (exitCode !== 0 && failures.length === before) failures.push(`vitest ended with exit code ${exitCode}`);
}

/** Prints the files that took longest, so that a suite that gets slower is noticed. Files run beside each other. */
function printSlowest(results) {
  const files = results.map(({ name, startTime, endTime }) => ({ name, millis: endTime - startTime }));
  files.sort((one, other) => other.millis - one.millis);
  console.log('The ten slowest test files:');
  for (const { name, millis } of files.slice(0, 10)) {
    console.log(`${(millis / 1000).toFixed(0).padStart(5)} s  ${relative(root, name)}`);
  }
}
