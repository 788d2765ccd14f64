import { describe, expect, it } from 'vitest';
import { PassLimit } from './pass-limit.ts';

describe('a pass limit', () => {
  it('allows a pass a sixteenth of the time limit of a document', () => {
    expect(new PassLimit(1600).millis).toBe(100);
  });

  it('allows passes the full limit of a document after an interruption, until the batch ends', () => {
    const limit = new PassLimit(1600);
    limit.noteEndedAtDocument();
    expect([limit.isAlone, limit.millis]).toEqual([true, 1600]);
    limit.noteRead();
    expect([limit.isAlone, limit.millis]).toEqual([true, 1600]);
    limit.startBatch();
    expect([limit.isAlone, limit.millis]).toEqual([false, 100]);
  });

  it('repeats a record with the full limit of a document if the pass was too short for it', () => {
    const limit = new PassLimit(1600);
    expect(limit.noteEndedUnread(100)).toBe(true);
    expect(limit.millis).toBe(1600);
    limit.noteRead();
    expect(limit.millis).toBe(100);
  });

  it('stops repeating a record that has used the full processor time of a document', () => {
    const limit = new PassLimit(1600);
    expect([limit.noteEndedUnread(100), limit.noteEndedUnread(1600)]).toEqual([true, false]);
  });

  it('allows a record sixteen limits on a busy machine, and then stops repeating it', () => {
    const limit = new PassLimit(1600);
    expect([limit.noteEndedUnread(10), limit.noteEndedUnread(50)]).toEqual([true, true]);
    expect(limit.millis).toBe(25_600);
    expect(limit.noteEndedUnread(50)).toBe(false);
  });

  it('starts each batch with the short limit', () => {
    const limit = new PassLimit(1600);
    limit.noteEndedUnread(10);
    limit.startBatch();
    expect(limit.millis).toBe(100);
  });
});
