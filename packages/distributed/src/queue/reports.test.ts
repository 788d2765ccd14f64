import { expect, it } from 'vitest';
import { outcome } from './message.test.lib.ts';
import { readReport, reportOf } from './reports.ts';

const header = { run: 'r', batch: 7, count: 300, bytes: 1 };

it('a report with long reasons stays below the limit of brokers, and counts all failed documents', () => {
  const failures = Array.from({ length: 300 }, (_, i) => {
    return { id: String(i), at: 'stages[0]', code: 'HR_STAGE_FAILED', message: 'long '.repeat(60_000) } as const;
  });
  const report = reportOf(header, 'a', 0, outcome({ failed: 300, failures }));
  const value = Buffer.from(JSON.stringify(report));
  expect(value.length).toBeLessThan(250_000);
  const read = readReport(value);
  expect(read).toMatchObject({ batch: 7, failed: 300 });
  expect(read?.failures[0]).toMatchObject({ id: '0', message: expect.stringMatching(/^long .*…$/) });
});

it('a report keeps short reasons unchanged', () => {
  const failures = [{ id: 'x', at: 'stages[0]', code: 'HR_STAGE_FAILED', message: 'bad' }] as const;
  expect(reportOf(header, 'a', 0, outcome({ failed: 1, failures })).failures).toEqual(failures);
});
