import { writeFileSync } from 'node:fs';
import {
  checkConfig,
  hasErrors,
  messageOf,
  type PipelineTest,
  type Problem,
  type RegistrySource,
  readPipelineTests,
  SecretMask,
  TESTS,
  withHint,
} from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import type { ObjectNode } from '@headrace/hocon';
import { loadConfig, registrySource } from '../config/load-config.ts';
import { openRegistry } from '../config/open-registry.ts';
import { countProblems, problemLines } from '../config/print-problems.ts';
import { configOf, isTestFile, testFileOf } from '../config/test-file.ts';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { junitXml } from '../report/junit.ts';
import { checkOutcome } from '../testing/check-outcome.ts';
import { type ConfigTests, failuresOf, type TestResult } from '../testing/test-result.ts';
import { HEAP_MB } from './heap.ts';

/** The time limit of one test. It is long because some stages load a model when they start. */
const TIMEOUT_MILLIS = 5 * 60_000;

interface TestOptions {
  readonly set: readonly string[];
  readonly filter: string | undefined;
  readonly junit: string | undefined;
  readonly components: readonly string[];
}

/** `headrace test CONFIG...`: runs the unit tests of configs in their real pipelines. */
export async function test(files: readonly (string | undefined)[], options: TestOptions): Promise<number> {
  const configs = [...new Set(files.map((file = '') => testedConfig(file)))];
  const threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false });
  const all: ConfigTests[] = [];
  try {
    for (const config of configs) {
      const tests = await testConfig(threads, config, options);
      all.push(tests);
      writeLines('stdout', report(tests));
    }
  } finally {
    await threads.close();
  }
  if (options.junit !== undefined) writeReport(options.junit, junitXml(all));
  if (all.some(({ problems }) => problems.length > 0)) return EXIT.invalid;
  if (all.every(({ results }) => results.length === 0)) {
    const message =
      options.filter === undefined
        ? `There are no tests. List them in the config: ${TESTS}: [{ in: { id: "…" }, out: { … } }], or in NAME.test.conf in the same directory.`
        : `No test has "${options.filter}" in its name.`;
    throw new CommandError(message, EXIT.invalid);
  }
  return all.some((tests) => failuresOf(tests) > 0) ? EXIT.failed : EXIT.ok;
}

/**
 * Returns the config of a file. A pattern such as `conf/*.conf` also matches test files: each belongs to the config
 * beside it.
 */
function testedConfig(file: string): string {
  if (!isTestFile(file)) return file;
  const config = configOf(file);
  if (config !== undefined) return config;
  throw new CommandError(`There is no config for ${file}: NAME.test.conf is for NAME.conf.`, EXIT.invalid);
}

async function testConfig(threads: RunLauncher, file: string, options: TestOptions): Promise<ConfigTests> {
  const { root, problems, name: config } = await loadConfig(file, options.set);
  if (root === undefined || hasErrors(problems)) return { config, results: [], problems };
  const source = registrySource(file, options.components);
  const registry = await openRegistry(source);
  if ('severity' in registry) return { config, results: [], problems: [registry] };
  const found = (await checkConfig(root, registry)).problems;
  const checked = found.filter(({ severity }) => severity === 'error');
  // Warn about tests that are ignored, because a second list of tests replaces the first.
  const lost = found.filter(({ code, path }) => code === 'HR_CONFIG_UNUSED' && path.startsWith(TESTS));
  writeLines('stderr', problemLines(lost, config));
  const { tests, problems: wrong } = await readTests(file, root);
  const errors = [...checked, ...wrong];
  if (errors.length > 0) return { config, results: [], problems: errors };
  const results: TestResult[] = [];
  const mask = new SecretMask(root, false);
  const wanted = options.filter?.toLowerCase() ?? '';
  for (const one of tests.filter(({ name }) => name.toLowerCase().includes(wanted))) {
    const started = performance.now();
    const failure = await failureOf(threads, one, root, source);
    const seconds = (performance.now() - started) / 1000;
    results.push({ name: one.name, seconds, failure: failure?.map((line) => mask.text(line)) });
  }
  return { config, results, problems: [] };
}

/** Returns the tests of a config: first those in the config, then those in its test file. */
async function readTests(file: string, root: ObjectNode): Promise<{ tests: PipelineTest[]; problems: Problem[] }> {
  const own = readPipelineTests(root);
  const testFile = testFileOf(file);
  if (testFile === undefined) return own;
  const beside = await loadConfig(testFile, []);
  if (beside.root === undefined || hasErrors(beside.problems)) {
    return { tests: [], problems: [...own.problems, ...inFile(beside.problems, testFile)] };
  }
  const more = readPipelineTests(beside.root, root);
  return { tests: [...own.tests, ...more.tests], problems: [...own.problems, ...inFile(more.problems, testFile)] };
}

function inFile(problems: readonly Problem[], file: string): Problem[] {
  return problems.map((problem) => ({ file, ...problem }));
}

/** Runs a test. Returns why it fails as lines, or undefined if it passes. */
async function failureOf(
  threads: RunLauncher,
  test: PipelineTest,
  root: ObjectNode,
  registry: RegistrySource,
): Promise<readonly string[] | undefined> {
  const { pipeline, documents } = test;
  const request = { root, registry, trusted: true, documents, ...(pipeline === undefined ? {} : { pipeline }) };
  try {
    const previewed = threads.preview(request, TIMEOUT_MILLIS);
    // The thread of the next test is prepared in the meantime.
    threads.prepare();
    const { results, problems } = await previewed;
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) return errors.map(withHint);
    const failure = checkOutcome(test, results);
    if (failure === undefined) return undefined;
    const said = results.flatMap(({ log = [] }) =>
      log.map(({ level, stage, message }) => `${level}: ${stage}: ${message}`),
    );
    return [...failure, ...said];
  } catch (error) {
    return [messageOf(error)];
  }
}

function report({ config, results, problems }: ConfigTests): string[] {
  if (problems.length > 0)
    return [...problemLines(problems, config), `${config}: invalid (${countProblems(problems)})`];
  const lines = results.flatMap(({ name, failure }) =>
    failure === undefined ? `  ok      ${name}` : [`  FAILED  ${name}`, ...failure.map((line) => `          ${line}`)],
  );
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const verdict =
    results.length === 0
      ? 'no tests'
      : failed === 0
        ? `${results.length} passed`
        : `${failed} of ${results.length} failed`;
  return [config, ...lines, `${config}: ${verdict}`];
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`The report cannot be written to ${file}: ${messageOf(error)}`, EXIT.invalid);
  }
}
