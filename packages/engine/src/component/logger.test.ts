import { expect, it } from 'vitest';
import { createLogger, type LogRecord } from './logger.ts';

it('createLogger passes each record on with its level, time and name', () => {
  const records: LogRecord[] = [];
  const log = createLogger('stage_1', (record) => records.push(record));
  log.debug('a');
  log.info('b', { id: '1' });
  log.warn('c');
  log.error('d');
  expect(records.map(({ time, ...record }) => record)).toEqual([
    { level: 'debug', logger: 'stage_1', message: 'a' },
    { level: 'info', logger: 'stage_1', message: 'b', fields: { id: '1' } },
    { level: 'warn', logger: 'stage_1', message: 'c' },
    { level: 'error', logger: 'stage_1', message: 'd' },
  ]);
  expect(records.every(({ time }) => Number.isInteger(time) && time > 0)).toBe(true);
});
