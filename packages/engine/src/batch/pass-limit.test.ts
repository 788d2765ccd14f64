import { describe, expect, it } from 'vitest';
import { PassLimit } from './pass-limit.ts';

describe('a pass limit', () => {
  it('gives a pass a sixteenth of the time limit of a document', () => {
    expect(new PassLimit(1600).millis).toBe(100);
  });

  it('gives passes the whole time limit of a document after one ended at a document, until the batch ends', () => {
    const limit = new PassLimit(1600);
    limit.noteEndedAtDocument();
    expect([limit.isAlone, limit.millis]).toEqual([true, 1600]);
    limit.noteRead();
    expect([limit.isAlone, limit.millis]).toEqual([true, 1600]);
    limit.startBatch();
    expect([limit.isAlone, limit.millis]).toEqual([false, 100]);
  });

  it('reads a record again with the whole time limit of a document if a pass was too short for it', () => {
    const limit = new PassLimit(1600);
    expect(limit.noteEndedUnread(100)).toBe(true);
    expect(limit.millis).toBe(1600);
    limit.noteRead();
    expect(limit.millis).toBe(100);
  });

  it('gives up on a record that has used the whole processor time of a document', () => {
    const limit = new PassLimit(1600);
    expect([limit.noteEndedUnread(100), limit.noteEndedUnread(1600)]).toEqual([true, false]);
  });

  it('gives a record sixteen times as long on a busy machine, and then gives up on it', () => {
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
