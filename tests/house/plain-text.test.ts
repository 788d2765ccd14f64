import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

/**
 * The only source files that write to standard output or standard error, and why. All other code uses `writeLines`,
 * `sayError`, `writeRecord` or a log, which escape control characters in foreign names and values.
 */
const WRITERS: Readonly<Record<string, string>> = {
  'packages/headrace/src/process/output.ts': 'escapes each line',
  'packages/headrace/src/process/standard-error.ts': 'makes each line JSON, without control characters',
  'packages/headrace/src/report/run-reporter.ts': 'names the stream for the terminal reporter',
  'packages/headrace/src/report/service-log.ts': 'escapes each line',
  'packages/headrace/src/commands/hash-password.ts': 'asks a fixed question on the terminal',
  'packages/engine/src/run/thread-output.ts': 'escapes what threads print',
  // These run inside a sandbox, whose output is data.
  'packages/sandbox/src/boundary/probe.ts': 'text of a program that writes JSON to its parent',
  'packages/sandbox/src/javascript/script-realm.ts': 'the console of scripts, which writes to the log',
};

/** Any use of the standard streams, except their properties and events, and any use of the console. */
const WRITES = /process\.(stdout|stderr)(?!\.(isTTY|on)\b)|process\[|\bconsole\.\w+/;

describe('standard output and standard error', () => {
  const sources = repositoryFiles().filter(
    (path) => /^(packages|plugins)\/(?!testing\/|web\/)[\w-]+\/src\/.*\.ts$/.test(path) && !path.includes('.test.'),
  );

  it('are written only by files that escape control characters', () => {
    const writers = sources.filter((path) => WRITES.test(withoutComments(readText(path))));
    expect(writers.toSorted(), 'write lines with packages/headrace/src/process/output.ts, or to a log').toEqual(
      Object.keys(WRITERS).toSorted(),
    );
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
