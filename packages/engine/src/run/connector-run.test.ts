import { describe, expect, it } from 'vitest';
import { Connector } from '../component/connector.ts';
import type { LogRecord } from '../component/logger.ts';
import { Type } from '../component/schema.ts';
import type { ConnectorConfig } from '../config/ingest-config.ts';
import { FailureReports } from '../failures/failure-reports.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { MessageGate } from '../transport/message-gate.ts';
import { ConnectorRun } from './connector-run.ts';
import { SharedCounts } from './counters.ts';
import { FailureLimit } from './failure-limit.ts';
import type { RunContext } from './run-context.ts';

/** The work of a connector in each phase. */
interface Phases {
  readonly preExecute?: () => unknown;
  readonly execute?: (signal: AbortSignal) => unknown;
  readonly postExecute?: () => unknown;
  readonly close?: () => unknown;
}

/**
 * Runs a connector without a pipeline. Returns its result, the reasons of its failures, the called phases and the
 * logged errors.
 */
async function runAlone(phases: Phases, { stop, timeout }: { stop?: AbortController; timeout?: number } = {}) {
  const called: string[] = [];
  const logged: string[] = [];
  class Recorded extends Connector {
    static override readonly parameters = Type.Object({});
    override async preExecute() {
      called.push('preExecute');
      await phases.preExecute?.();
    }
    override async execute() {
      called.push('execute');
      this.message = 'a line for the summary';
      await phases.execute?.(this.context.signal);
    }
    override async postExecute() {
      called.push('postExecute');
      await phases.postExecute?.();
    }
    override async close() {
      called.push('close');
      await phases.close?.();
    }
  }
  const context: Partial<RunContext> = {
    runId: 'r',
    counts: new SharedCounts(),
    reports: new FailureReports(undefined, new MessageGate(), false),
    failureLimit: new FailureLimit(undefined),
    notices: new NoticeCollector(),
    signal: (stop ?? new AbortController()).signal,
    log: ({ level, message }: LogRecord) => void logged.push(`${level} ${message}`),
    registry: { load: async () => Recorded } as unknown as RunContext['registry'],
    config: { runner: { connectorTimeout: timeout } } as RunContext['config'],
    starting: async (_, work) => work(),
  };
  const config: Partial<ConnectorConfig> = {
    name: 'c',
    entry: { name: 'Recorded' } as ConnectorConfig['entry'],
    pipeline: undefined,
    params: {},
    docIdPrefix: '',
  };
  const run = new ConnectorRun(context as RunContext, config as ConnectorConfig);
  const { result, failures } = await run.run();
  return { result, reasons: failures.map(({ text, failure }) => `${text} ${failure.code}`), called, logged };
}

const fail = (message: string) => () => {
  throw new Error(message);
};

describe('the run of a connector without a pipeline', () => {
  it('calls the phases in order', async () => {
    const { result, called, logged, reasons } = await runAlone({});
    expect(called).toEqual(['preExecute', 'execute', 'postExecute', 'close']);
    expect(result).toMatchObject({
      name: 'c',
      status: 'complete',
      hasPipeline: false,
      message: 'a line for the summary',
      received: 0,
    });
    expect([logged, reasons]).toEqual([[], []]);
  });

  it.each<[keyof Phases, string, string[]]>([
    ['preExecute', 'preExecute failed.', ['preExecute', 'close']],
    ['execute', 'execute failed.', ['preExecute', 'execute', 'close']],
    ['postExecute', 'postExecute failed', ['preExecute', 'execute', 'postExecute', 'close']],
    ['close', 'Error closing connector', ['preExecute', 'execute', 'postExecute', 'close']],
  ])('fails if %s throws, calls no later phase except close, and logs the error', async (phase, text, phases) => {
    const { result, called, logged, reasons } = await runAlone({ [phase]: fail('no') });
    expect(called).toEqual(phases);
    expect(result).toMatchObject({ status: 'failed', error: { text } });
    expect(reasons).toEqual([`${text} HR_CONNECTOR_FAILED`]);
    expect(logged).toEqual([`error ${text.replace('.', '')}: no`]);
  });

  it('reports both errors if close throws too, and shows the last one', async () => {
    const { result, reasons } = await runAlone({ execute: fail('no'), close: fail('not closed') });
    expect(reasons).toEqual(['execute failed. HR_CONNECTOR_FAILED', 'Error closing connector HR_CONNECTOR_FAILED']);
    expect(result.error?.text).toBe('Error closing connector');
  });

  it('does not call postExecute after a stop request', async () => {
    const stop = new AbortController();
    const { result, called } = await runAlone({ execute: () => stop.abort() }, { stop });
    expect(called).toEqual(['preExecute', 'execute', 'close']);
    expect(result.status).toBe('stopped');
  });

  it('fails at the time limit of the connector, although the connector does not end', async () => {
    const { result, called, reasons } = await runAlone({ execute: () => new Promise(() => undefined) }, { timeout: 1 });
    expect(called).toEqual(['preExecute', 'execute', 'close']);
    expect(result).toMatchObject({ status: 'failed', error: { text: 'Connector timeout.', timed: true } });
    expect(reasons).toEqual(['Connector timeout. HR_CONNECTOR_TIMEOUT']);
  });
});
