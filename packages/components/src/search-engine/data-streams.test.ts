import { expect, it } from 'vitest';
import { makesDataStream } from './data-streams.ts';

it('finds the template that the first write uses', () => {
  const logs = { index_patterns: ['logs-*-*'], priority: 100, data_stream: {} };
  const plain = { index_patterns: 'logs-app-*', priority: 200 };
  expect(makesDataStream('logs-app', [logs])).toBe(false);
  expect(makesDataStream('logs-web-x', [logs, plain])).toBe(true);
  // The template with the highest priority is used alone.
  expect(makesDataStream('logs-app-x', [logs, plain])).toBe(false);
  expect(makesDataStream('logs-app-x', [plain, { ...logs, priority: 300 }])).toBe(true);
  expect(makesDataStream('my-logs-a-b', [logs])).toBe(false);
  expect(makesDataStream('a+b', [{ index_patterns: ['a.b', 'a+b'], data_stream: {} }])).toBe(true);
  expect(makesDataStream('a+b', [])).toBe(false);
});
