import { afterEach, expect, test, vi } from 'vitest';
import { JsonReporter } from './json-reporter.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('JsonReporter writes each record as one line, without debug records', () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const reporter = new JsonReporter('run-1');
  reporter.log({ level: 'debug', time: 1, logger: 'stage', message: 'too much' });
  reporter.log({ level: 'warn', time: 2, logger: 'stage', message: 'a\nb', fields: { id: 'd1', at: { row: 3 } } });
  reporter.close();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', time: 2, runId: 'run-1', logger: 'stage', id: 'd1', at: { row: 3 }, msg: 'a\nb' },
  ]);
  expect(lines[0]?.endsWith('\n')).toBe(true);
});
