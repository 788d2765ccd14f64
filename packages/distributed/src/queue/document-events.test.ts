import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventJson, eventsOf, readEvent } from './document-events.ts';
import { message, outcome } from './message.test.lib.ts';

const failed = (id: string, at: string) => ({ id, at, code: 'HR_STAGE_FAILED', message: `${id} is bad` }) as const;

describe("the events of documents in Lucille's format", () => {
  it('do not repeat children that a forwarding worker has already reported', () => {
    const events = eventsOf(
      outcome({
        createdIds: ['sent-child', 'dropped-child'],
        droppedIds: ['dropped-child', 'd'],
        sentIds: ['sent-child', 'p'],
        failures: [failed('f', 'stages[0]'), failed('unreadable', 'connector')],
      }),
      false,
    );
    expect(events).toEqual([
      { type: 'CREATE', documentId: 'dropped-child' },
      { type: 'DROP', documentId: 'dropped-child' },
      { type: 'DROP', documentId: 'd' },
      { type: 'FAIL', documentId: 'f', message: 'f is bad' },
    ]);
  });

  it('include all events, with the messages of Lucille, if the process also indexes', () => {
    const events = eventsOf(
      outcome({ createdIds: ['c'], sentIds: ['c', 'p', 'x'], failures: [failed('x', 'indexer')] }),
      true,
    );
    expect(events).toEqual([
      { type: 'CREATE', documentId: 'c' },
      { type: 'FINISH', documentId: 'c', message: 'SUCCEEDED' },
      { type: 'FINISH', documentId: 'p', message: 'SUCCEEDED' },
      { type: 'FAIL', documentId: 'x', message: 'FAILED: x is bad' },
    ]);
  });

  describe('at a known time', () => {
    beforeEach(() => {
      vi.useFakeTimers({ now: 1_795_267_878_333, toFake: ['Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it("have Lucille's members in Lucille's order, and the time as seconds with nine decimals", () => {
      const one = message({ partition: 3, offset: 17, key: 'd"1' });
      const event = { type: 'FINISH', documentId: 'd"1', message: 'SUCCEEDED' } as const;
      expect(eventJson(event, 'r', 'p_source', one)).toBe(
        '{"type":"FINISH","documentId":"d\\"1","message":"SUCCEEDED","runId":"r","instant":1795267878.333000000,"topic":"p_source","partition":3,"offset":17,"key":"d\\"1"}',
      );
    });

    it('omit missing fields', () => {
      expect(eventJson({ type: 'CREATE', documentId: 'c' }, 'r', 't')).toBe(
        '{"type":"CREATE","documentId":"c","runId":"r","instant":1795267878.333000000}',
      );
      expect(eventJson({ type: 'DROP', documentId: 'c' }, 'r', 't', message({}))).toBe(
        '{"type":"DROP","documentId":"c","runId":"r","instant":1795267878.333000000,"topic":"t","partition":0,"offset":0}',
      );
    });

    it('escape texts as Lucille does', () => {
      expect(eventJson({ type: 'FAIL', documentId: 'é\u001f', message: 'a\n\\u001f/' }, 'r', 't')).toBe(
        '{"type":"FAIL","documentId":"é\\u001F","message":"a\\n\\\\u001f/","runId":"r","instant":1795267878.333000000}',
      );
    });
  });

  it('are read as they were written, for any id, run and reason', () => {
    const type = fc.constantFrom('CREATE', 'FINISH', 'FAIL', 'DROP');
    const text = unicodeText();
    fc.assert(
      fc.property(type, text, text, text, (kind, documentId, runId, reason) => {
        const json = eventJson({ type: kind, documentId, message: reason }, runId, 't');
        expect(readEvent(Buffer.from(json))).toMatchObject({ type: kind, documentId, message: reason, runId });
      }),
    );
  });
});
