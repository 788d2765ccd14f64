import { afterEach, expect, test } from 'vitest';
import { IdleLanes } from './idle-lanes.ts';

const idle = new IdleLanes({ youngMb: 24, heapMb: 128, lanes: 0, preload: { modules: [] } });

afterEach(() => idle.close());

test('IdleLanes returns a thread that waits, and starts one if none waits', async () => {
  idle.warm();
  const waiting = idle.take();
  const started = idle.take();
  expect(started).not.toBe(waiting);
  idle.give(waiting);
  expect(idle.take()).toBe(waiting);
  await Promise.all([waiting.terminate(), started.terminate()]);
});

test('IdleLanes never returns a thread that has ended', async () => {
  const ended = idle.take();
  await ended.terminate();
  idle.give(ended);
  const lane = idle.take();
  expect(lane).not.toBe(ended);
  expect(lane.alive).toBe(true);
  await lane.terminate();
});
