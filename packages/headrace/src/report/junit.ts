import { formatProblem } from '@headrace/engine';
import { escapeControls } from '@headrace/engine/plain-text';
import { type ConfigTests, failuresOf, type TestResult } from '../testing/test-result.ts';

/** Matches the characters that XML 1.0 cannot contain, not even escaped, and that are no control characters. */
const NOT_XML = /[\ufffe\uffff]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Returns results as JUnit XML, with one suite per config. A config that could not be tested is a suite with one error.
 */
export function junitXml(configs: readonly ConfigTests[]): string {
  const suites = configs.map(suite);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function suite(tests: ConfigTests): string {
  const { config, results, problems } = tests;
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  const errors = problems.length === 0 ? 0 : 1;
  const counts = `tests="${results.length + errors}" failures="${failuresOf(tests)}" errors="${errors}"`;
  const cases = results.map((result) => testCase(config, result));
  if (errors > 0) {
    const lines = problems.map((problem) => formatProblem(problem, config));
    cases.push(element(config, 'config', 0, 'error', lines));
  }
  return `  <testsuite name="${attribute(config)}" ${counts} time="${seconds.toFixed(3)}">\n${cases.join('')}  </testsuite>\n`;
}

function testCase(config: string, { name, seconds, failure }: TestResult): string {
  if (failure !== undefined) return element(config, name, seconds, 'failure', failure);
  return `    <testcase ${identity(config, name, seconds)}/>\n`;
}

function element(
  config: string,
  name: string,
  seconds: number,
  kind: 'failure' | 'error',
  lines: readonly string[],
): string {
  const [first = ''] = lines;
  const inner = `<${kind} message="${attribute(first)}">${lines.map(escaped).join('\n')}</${kind}>`;
  return `    <testcase ${identity(config, name, seconds)}>\n      ${inner}\n    </testcase>\n`;
}

function identity(config: string, name: string, seconds: number): string {
  return `classname="${attribute(config)}" name="${attribute(name)}" time="${seconds.toFixed(3)}"`;
}

function attribute(text: string): string {
  return xml(text).replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
}

function escaped(text: string): string {
  return xml(text).replace(/[&<>]/g, (character) => ESCAPES[character] as string);
}

function xml(text: string): string {
  return escapeControls(text.toWellFormed()).replace(NOT_XML, '\ufffd');
}
