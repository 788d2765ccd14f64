import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfigText } from '../config/read-config.ts';
import { STRICT_POLICY } from '../policy/policy.ts';
import type { ToDestinations } from './destination-messages.ts';
import { Destinations } from './destinations.ts';
import { StartedRun } from './run-handle.ts';
import type { RunListeners } from './run-request.ts';
import type { RunThread } from './run-thread.ts';
import type { ToRun } from './thread-messages.ts';

const LIMIT_SECS = 60;
const folder = mkdtempSync(join(tmpdir(), 'headrace-run-handle-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The thread of a run, which the test controls. */
class TestThread extends EventEmitter {
  readonly received: ToRun[] = [];

  postMessage(message: ToRun): void {
    this.received.push(message);
  }

  ref(): void {}

  unref(): void {}

  async terminate(): Promise<void> {
    this.emit('exit');
  }

  /** Enters a destination, as an indexer does. */
  enter(kind: 'writer' | 'rebuild'): void {
    const alone = kind === 'writer' ? 'it deletes by a query' : undefined;
    this.#post({ type: 'enter', pass: 1, kind, place: 'cluster', names: ['products'], alone });
  }

  leave(): void {
    this.#post({ type: 'leave', pass: 1 });
  }

  get isStopped(): boolean {
    return this.received.some(({ type }) => type === 'stop');
  }

  get isLetIn(): boolean {
    return this.received.some((message) => message.type === 'destinations' && message.message.type === 'entered');
  }

  #post(message: ToDestinations): void {
    this.emit('message', { type: 'destinations', message });
  }
}

describe('a run that waits for another run with the same destination', () => {
  let destinations: Destinations;
  beforeEach(() => {
    vi.useFakeTimers();
    destinations = new Destinations(folder);
  });
  afterEach(() => void vi.useRealTimers());

  const start = (runId: string, listeners: RunListeners = {}) => {
    const thread = new TestThread();
    const { root } = readConfigText('{}');
    const policy = { ...STRICT_POLICY, limits: { maxRunSecs: LIMIT_SECS } };
    const registry = { catalogs: [], modules: [], base: 'file:///', allowModules: false, policy };
    const request = { runId, root: root as NonNullable<typeof root>, registry };
    return { thread, run: new StartedRun(request, thread as RunThread, 100, listeners, destinations) };
  };
  /** Starts a rebuild without end. */
  const rebuild = () => {
    const thread = new TestThread();
    const others = destinations.connect('r', (message) => thread.postMessage({ type: 'destinations', message }));
    others.receive({
      type: 'enter',
      pass: 1,
      kind: 'rebuild',
      place: 'cluster',
      names: ['products'],
      alone: undefined,
    });
    return others;
  };
  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

  it('says for which one, and its time limit does not count meanwhile', async () => {
    const others = rebuild();
    const { thread, run } = start('w');
    await seconds(LIMIT_SECS - 20);
    thread.enter('writer');
    expect(run.progress().waiting).toBe(
      'The run waits for the rebuild of products by the run r, because it deletes by a query',
    );
    await seconds(10 * LIMIT_SECS);
    expect([thread.isStopped, thread.isLetIn]).toEqual([false, false]);
    others.end();
    await seconds(19);
    expect([thread.isLetIn, run.progress().waiting, thread.isStopped]).toEqual([true, undefined, false]);
    await seconds(1);
    expect(thread.isStopped).toBe(true);
  });

  it('continues when its listener lets it, and its time limit does not count until then', async () => {
    const others = rebuild();
    const place = Promise.withResolvers<void>();
    const asked: string[] = [];
    const { thread, run } = start('w', {
      onWait: () => void asked.push('wait'),
      onContinue: () => {
        asked.push('continue');
        return place.promise;
      },
    });
    thread.enter('writer');
    expect(asked).toEqual(['wait']);
    others.end();
    expect(asked).toEqual(['wait', 'continue']);
    await seconds(2 * LIMIT_SECS);
    expect([thread.isLetIn, thread.isStopped]).toEqual([false, false]);
    expect(run.progress().waiting).toContain('waits until fewer runs are active');
    place.resolve();
    await seconds(0);
    expect([thread.isLetIn, run.progress().waiting]).toEqual([true, undefined]);
  });

  it('can be cancelled, and then has no time limit', async () => {
    rebuild();
    const { thread, run } = start('w');
    thread.enter('writer');
    run.stop('CANCELLED');
    expect(thread.isStopped).toBe(true);
    thread.leave();
    await seconds(20);
    expect(await run.done).toMatchObject({ status: 'CANCELLED' });
  });
});
