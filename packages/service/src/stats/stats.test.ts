import { describe, expect, it } from 'vitest';
import { testService } from '../testing/test-service.test.support.ts';
import { Metrics } from './metrics.ts';
import { metricsToJson } from './metrics-json.ts';

function handClock() {
  let time = 0;
  return {
    clock: () => time,
    forward: (seconds: number) => {
      time += seconds;
    },
  };
}

describe('meters', () => {
  it('start their averages at the first rate, which then decays', () => {
    const { clock, forward } = handClock();
    const meter = new Metrics(clock).meter('m');
    meter.mark(300);
    expect(meter.rates()).toEqual({ m1: 0, m5: 0, m15: 0, mean: 0 });
    forward(5);
    expect(meter.rates()).toEqual({ m1: 60, m5: 60, m15: 60, mean: 60 });
    forward(60);
    const { m1, m5, m15 } = meter.rates();
    // After a minute, 1/e of the rate remains in the one-minute average, and more in the longer averages.
    expect(m1).toBeCloseTo(60 / Math.E, 6);
    expect(m5).toBeCloseTo(60 * Math.exp(-1 / 5), 6);
    expect(m15).toBeCloseTo(60 * Math.exp(-1 / 15), 6);
    forward(1e9);
    expect(meter.rates().m15).toBeCloseTo(0, 9);
  });
});

describe('histograms', () => {
  it('report the distribution of values', () => {
    const histogram = new Metrics(handClock().clock).histogram('h');
    for (let i = 1; i <= 1000; i++) histogram.update(i);
    expect(histogram.distribution()).toMatchObject({ min: 1, max: 1000, mean: 500.5, p50: 500, p99: 990, p999: 999 });
    expect(histogram.distribution().stddev).toBeCloseTo(288.67, 1);
    expect([histogram.count, histogram.sum]).toEqual([1000, 500_500]);
  });

  it('prefer recent values, also in an old process', () => {
    const { clock, forward } = handClock();
    const histogram = new Metrics(clock).histogram('h');
    for (let hour = 0; hour < 30; hour++) {
      for (let i = 0; i < 2000; i++) histogram.update(hour);
      forward(3600);
    }
    for (let i = 0; i < 2000; i++) histogram.update(1000);
    expect(histogram.distribution()).toMatchObject({ p50: 1000, p75: 1000 });
    expect(histogram.distribution().mean).toBeGreaterThan(999);
  });

  it('have zero values before the first measurement', () => {
    expect(new Metrics().histogram('h').distribution()).toMatchObject({ min: 0, mean: 0, p999: 0 });
  });
});

describe('the measurements of a service', () => {
  it('have the format of Dropwizard Metrics', () => {
    const { clock, forward } = handClock();
    const metrics = new Metrics(clock);
    metrics.counter('c').add(2);
    metrics.gauge('g', () => 7);
    metrics.meter('m').mark();
    metrics.histogram('h').update(3);
    metrics.timer('t').update(0.5);
    forward(5);
    const spread = { min: 3, max: 3, mean: 3, stddev: 0, p50: 3, p75: 3, p95: 3, p98: 3, p99: 3, p999: 3 };
    const half = Object.fromEntries(Object.entries(spread).map(([key, value]) => [key, value === 0 ? 0 : 0.5]));
    const rates = { count: 1, m1_rate: 0.2, m5_rate: 0.2, m15_rate: 0.2, mean_rate: 0.2 };
    expect(metricsToJson(metrics)).toEqual({
      version: '4.0.0',
      counters: { c: { count: 2 } },
      gauges: { g: { value: 7 } },
      histograms: { h: { count: 1, ...spread } },
      meters: { m: { ...rates, units: 'events/second' } },
      timers: {
        t: { ...rates, ...half, units: 'calls/second', duration_units: 'seconds', rate_units: 'calls/second' },
      },
    });
  });

  it('are available over HTTP', async () => {
    const service = await testService();
    const configId = await service.store();
    const { runId } = await service.run(configId);
    Object.assign(service.threads.last.counts, { published: 3, succeeded: 3 });
    service.threads.last.end('SUCCEEDED');
    await service.ended(runId);
    const json = (await service.ask('/v1/systemstats/metrics')).json as ReturnType<typeof metricsToJson>;
    expect(json.counters).toMatchObject({ 'runs.accepted': { count: 1 }, 'runs.succeeded': { count: 1 } });
    expect(json.meters['documents.succeeded']?.count).toBe(3);
    expect(json.timers['http.requests']?.count).toBeGreaterThanOrEqual(2);
    expect(json.gauges).toMatchObject({ 'runs.running': { value: 0 }, 'runs.queued': { value: 0 } });
    expect(json.gauges['eventLoop.delay.meanSeconds']?.value).toBeGreaterThanOrEqual(0);
  });
});

describe('GET /v1/systemstats', () => {
  it('has a history, which starts with the service', async () => {
    const service = await testService();
    await expect
      .poll(async () => (await service.ask('/v1/systemstats/history')).json)
      .toMatchObject({ intervalSeconds: 10, items: [{ cpu: expect.any(Number), running: 0, queued: 0 }] });
  });

  it('reports processors, memory and storage', async () => {
    const service = await testService();
    const stats = (await service.ask('/v1/systemstats')).json as Record<string, Record<string, number>>;
    expect(Object.keys(stats)).toEqual(['cpu', 'ram', 'jvm', 'heap', 'storage']);
    expect(stats['cpu']).toEqual({
      percent: expect.any(Number),
      used: expect.any(Number),
      available: expect.any(Number),
      total: 100,
      loadAverage: expect.any(Number),
    });
    expect(stats['jvm']).toEqual(stats['heap']);
    for (const name of ['ram', 'storage']) {
      const { total, available, used, percent } = stats[name] as Record<string, number>;
      expect(total).toBeGreaterThan(0);
      expect(used).toBe((total as number) - (available as number));
      expect(percent).toBeCloseTo(((used as number) / (total as number)) * 100, 1);
    }
    for (const part of Object.values(stats)) {
      expect(part['percent']).toBeGreaterThanOrEqual(0);
      expect(part['percent']).toBeLessThanOrEqual(100);
      expect(part['percent']).toBe(Math.round((part['percent'] as number) * 100) / 100);
    }
  });
});
