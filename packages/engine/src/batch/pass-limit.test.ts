import { describe, expect, it } from 'vitest';
import { PassLimit } from './pass-limit.ts';

describe('a pass limit', () => {
  it('gives a pass a sixteenth of the time of a document', () => {
    expect(new PassLimit(1600).millis).toBe(100);
  });

  it('gives passes all the time of a document once one was ended at a document, until the batch ends', () => {
    const limit = new PassLimit(1600);
    limit.noteEndedAtDocument();
    expect([limit.isAlone, limit.millis]).toEqual([true, 1600]);
    limit.noteRead();
    expect([limit.isAlone, limit.millis]).toEqual([true, 1600]);
    limit.startBatch();
    expect([limit.isAlone, limit.millis]).toEqual([false, 100]);
  });

  it('reads a record again with all the time of a document when a pass was too short for it', () => {
    const limit = new PassLimit(1600);
    expect(limit.noteEndedUnread(100)).toBe(true);
    expect(limit.millis).toBe(1600);
    limit.noteRead();
    expect(limit.millis).toBe(100);
  });

  it('gives up a record that has used all the processor time of a document', () => {
    const limit = new PassLimit(1600);
    expect([limit.noteEndedUnread(100), limit.noteEndedUnread(1600)]).toEqual([true, false]);
  });

  it('gives a record sixteen times as long when the machine was busy, and then gives it up', () => {
    const limit = new PassLimit(1600);
    expect([limit.noteEndedUnread(10), limit.noteEndedUnread(50)]).toEqual([true, true]);
    expect(limit.millis).toBe(25_600);
    expect(limit.noteEndedUnread(50)).toBe(false);
  });

  it('starts each batch with the short time', () => {
    const limit = new PassLimit(1600);
    limit.noteEndedUnread(10);
    limit.startBatch();
    expect(limit.millis).toBe(100);
  });
});
