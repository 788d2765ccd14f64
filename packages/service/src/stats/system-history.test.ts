import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { Metrics } from './metrics.ts';
import { SystemHistory } from './system-history.ts';
import { SystemMeter } from './system-stats.ts';

it('the history of the system has a bounded number of samples, and the newest last', async () => {
  const metrics = new Metrics();
  let running = 0;
  metrics.gauge('runs.running', () => running);
  const history = new SystemHistory(new SystemMeter(tmpdir()), metrics);
  expect(JSON.parse(history.toJson())).toEqual({ intervalSeconds: 10, items: [] });
  for (running = 1; running <= 400; running++) {
    metrics.timer('http.requests').update(0.001);
    await history.sample();
  }
  const { items } = JSON.parse(history.toJson());
  expect(items).toHaveLength(360);
  expect(items[0]).toMatchObject({ running: 41, requests: 41, queued: 0, storage: expect.any(Number) });
  expect(items.at(-1)).toMatchObject({ running: 400, requests: 400 });
});
