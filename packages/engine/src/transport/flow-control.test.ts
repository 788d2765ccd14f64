import { describe, expect, it } from 'vitest';
import { FlowControl } from './flow-control.ts';

const MIB = 1024 * 1024;

describe('FlowControl', () => {
  it('shares its state between all threads that have its buffer', () => {
    const one = new FlowControl();
    const other = new FlowControl(one.buffer);
    expect([other.stopped, other.full]).toEqual([false, false]);
    one.set(0, 8 * MIB, 1 * MIB, false);
    expect(other.full).toBe(true);
    one.set(1, 2 * MIB, 1 * MIB, false);
    expect(other.full).toBe(false);
    one.stop();
    expect(other.stopped).toBe(true);
  });

  it('pauses no thread that has space, is next in turn, or must stop', () => {
    const flow = new FlowControl();
    flow.waitForSpace(3);
    // Other batches wait for this thread, so only this thread can free space.
    flow.set(3, 200 * MIB, 0, false);
    flow.waitForSpace(3);
    flow.set(3, 0, 200 * MIB, false);
    flow.stop();
    flow.waitForSpace(3);
    flow.waitForSpace(4);
    expect(flow.full).toBe(true);
  });

  it('continues to count after the batch numbers wrap around', () => {
    const flow = new FlowControl();
    const head = 2 ** 31 - 1;
    flow.set(head, 200 * MIB, 0, false);
    expect([flow.ahead(head), flow.ahead(head + 5)]).toEqual([0, 5]);
    flow.waitForSpace(head);
    flow.set(head + 1, 200 * MIB, 0, false);
    expect([flow.ahead(head + 1), flow.ahead(head + 3)]).toEqual([0, 2]);
    flow.waitForSpace(head + 1);
  });
});
