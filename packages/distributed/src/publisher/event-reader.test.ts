import { describe, expect, it } from 'vitest';
import type { DocumentEvent } from '../queue/document-events.ts';
import { message } from '../queue/message.test.lib.ts';
import type { BatchReport } from '../queue/reports.ts';
import { deliver } from './event-reader.ts';

/** The calls that a listener receives for these messages. */
function heard(...messages: readonly ReturnType<typeof message>[]): (BatchReport | DocumentEvent)[] {
  const all: (BatchReport | DocumentEvent)[] = [];
  const listener = {
    onReport: (report: BatchReport) => void all.push(report),
    onEvent: (event: DocumentEvent) => void all.push(event),
  };
  for (const one of messages) deliver(one, 'run-1', listener);
  return all;
}

const report = { batch: 3, attempt: 'a', parts: 0, created: 0, succeeded: 2, failed: 0, dropped: 0, failures: [] };

describe('a run', () => {
  it('receives the reports about its batches, and no reports of other runs in the same topic', () => {
    const value = JSON.stringify(report);
    const ours = message({ value, headers: { other: 'x', headrace: '{"run":"run-1"}' } });
    const foreign = message({ value, headers: { headrace: '{"run":"run-2"}' } });
    expect(heard(foreign, ours, foreign)).toEqual([report]);
  });

  it("receives the events of Lucille's workers and indexers about its documents", () => {
    const event = (runId: string) =>
      `{"type":"FAIL","documentId":"d1","message":"SENT_TO_DLQ","runId":"${runId}","instant":1795267878.333394861}`;
    expect(heard(message({ value: event('run-2') }), message({ value: event('run-1') }))).toMatchObject([
      { type: 'FAIL', documentId: 'd1', message: 'SENT_TO_DLQ' },
    ]);
  });

  it('counts an event without a run, as Lucille writes it for documents without one', () => {
    expect(heard(message({ value: '{"type":"FINISH","documentId":"d"}' }))).toMatchObject([{ documentId: 'd' }]);
  });

  it.each([
    undefined,
    '',
    'no json',
    'null',
    '[]',
    '{"type":"OTHER","documentId":"d"}',
    '{"type":"FINISH"}',
    '{"type":"FINISH","documentId":1}',
  ])('ignores a message that is not an event: %j', (value) => {
    expect(heard(message(value === undefined ? {} : { value }))).toEqual([]);
  });
});
