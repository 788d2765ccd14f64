import { describe, expect, it } from 'vitest';
import { silentLogger } from '../component/logger.ts';
import type { Failure } from '../errors/headrace-error.ts';
import { ConnectorFailure, connectorFailure, inPhase, reasonOf } from './connector-failure.ts';
import { OverdueError } from './time-limits.ts';

const TIMEOUT: Failure = { code: 'HR_CONNECTOR_TIMEOUT', message: 'too slow' };
const CANCELLED: Failure = { code: 'HR_RUN_CANCELLED', message: 'stopped' };
const PHASE = { text: 'Connector exception.', code: 'HR_CONNECTOR_FAILED' } as const;

/** Returns a logger that stores the logged errors. */
function keepingLogger() {
  const errors: string[] = [];
  return { errors, logger: { ...silentLogger, error: (message: string) => void errors.push(message) } };
}

describe('the failure of a connector', () => {
  it('has the message and the code of its error and is logged once', () => {
    const { errors, logger } = keepingLogger();
    const failure = connectorFailure(new Error('no such table'), PHASE, logger);
    expect(failure).toMatchObject({ text: PHASE.text, timed: false });
    expect(failure.failure).toMatchObject({ code: 'HR_CONNECTOR_FAILED', message: 'no such table' });
    expect(connectorFailure(failure, { ...PHASE, text: 'other' }, logger)).toBe(failure);
    expect(errors).toEqual(['Connector exception: no such table']);
  });

  it('describes a timeout of the connector, or the work of a stopped connector', () => {
    const { errors, logger } = keepingLogger();
    const text = (reason: 'timeout' | 'stopped', failure: Failure) =>
      connectorFailure(new OverdueError({ reason, failure }), PHASE, logger).text;
    expect([text('timeout', TIMEOUT), text('stopped', CANCELLED)]).toEqual(['Connector timeout.', PHASE.text]);
    expect(errors).toEqual([]);
  });

  it('is the reason for documents that were lost with the connector', () => {
    expect(reasonOf(new ConnectorFailure('text', TIMEOUT))).toBe(TIMEOUT);
    expect(reasonOf(new OverdueError({ reason: 'stopped', failure: CANCELLED }))).toBe(CANCELLED);
    expect(reasonOf(new Error('bug'))).toMatchObject({ code: 'HR_INTERNAL', message: 'bug' });
  });
});

describe('a phase of a connector', () => {
  it('fails the connector with the text of the phase that throws', async () => {
    const fails = () => Promise.reject(new Error('denied'));
    await expect(inPhase('preExecute failed.', silentLogger, fails)).rejects.toMatchObject({
      text: 'preExecute failed.',
      failure: { code: 'HR_CONNECTOR_FAILED', message: 'denied' },
    });
  });

  it('passes an OverdueError through unchanged', async () => {
    const overdue = new OverdueError({ reason: 'timeout', failure: TIMEOUT });
    const fails = () => {
      throw overdue;
    };
    await expect(inPhase('execute failed.', silentLogger, fails)).rejects.toBe(overdue);
  });
});
