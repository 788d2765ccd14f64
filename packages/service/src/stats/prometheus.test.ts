import { describe, expect, it } from 'vitest';
import { readExposition } from '../testing/exposition.test.support.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';
import { CounterFamily, HistogramFamily, readFamily } from './families.ts';
import { prometheusText } from './prometheus-text.ts';

describe('the Prometheus text format', () => {
  it('contains counters, gauges and histograms with labels', () => {
    const counter = new CounterFamily('a_total', 'Counts.', [{ how: 'well' }]);
    counter.add({ how: 'badly' }, 2);
    const histogram = new HistogramFamily('b_seconds', 'Times.', [0.5, 2]);
    for (const seconds of [0.5, 1, 3]) histogram.observe({}, seconds);
    const gauge = readFamily('gauge', 'c', 'Reads.', () => Number.POSITIVE_INFINITY);
    expect(prometheusText([counter, histogram, gauge])).toBe(`# HELP a_total Counts.
# TYPE a_total counter
a_total{how="well"} 0
a_total{how="badly"} 2
# HELP b_seconds Times.
# TYPE b_seconds histogram
b_seconds_bucket{le="0.5"} 1
b_seconds_bucket{le="2"} 2
b_seconds_bucket{le="+Inf"} 3
b_seconds_sum 4.5
b_seconds_count 3
# HELP c Reads.
# TYPE c gauge
c +Inf
`);
  });

  it('escapes special characters in labels and help texts', () => {
    const counter = new CounterFamily<'text'>('a_total', 'Back\\slash\nand line');
    counter.add({ text: 'a "b" \\ c\nd' });
    const text = prometheusText([counter]);
    expect(text).toContain('# HELP a_total Back\\\\slash\\nand line\n');
    expect(readExposition(text).get('a_total')?.samples).toEqual(
      new Map([['a_total{text="a \\"b\\" \\\\ c\\nd"}', 1]]),
    );
  });

  it('limits the number of series, for any labels', () => {
    const counter = new CounterFamily<'id'>('a_total', 'Counts.');
    for (let i = 0; i < 5000; i++) counter.add({ id: String(i) });
    const { samples } = readExposition(prometheusText([counter])).get('a_total') ?? { samples: new Map() };
    expect(samples.size).toBe(501);
    expect(samples.get('a_total{id="other"}')).toBe(4500);
  });
});

describe('GET /metrics', () => {
  it('is valid from the start, and reports runs, documents, requests, the store and the process', async () => {
    const service = await testService({ storage: { type: 'sqlite', path: temporaryDirectory() } });
    const metrics = async () => {
      const answer = await service.ask('/metrics');
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      return readExposition(answer.text);
    };
    const first = await metrics();
    expect(first.get('headrace_runs_ended_total')?.samples.get('headrace_runs_ended_total{status="failed"}')).toBe(0);

    const configId = await service.store();
    const { runId } = await service.run(configId);
    Object.assign(service.threads.last.counts, { published: 5, created: 1, succeeded: 3, failed: 1, dropped: 1 });
    const going = await metrics();
    const value = (families: typeof first, name: string, labels = '') => families.get(name)?.samples.get(name + labels);
    expect(value(going, 'headrace_runs_running')).toBe(1);
    expect(value(going, 'headrace_documents_pending')).toBe(1);
    expect(value(going, 'headrace_documents_published_total')).toBe(5);
    expect(value(going, 'headrace_documents_total', '{outcome="succeeded"}')).toBe(3);

    service.threads.last.end('SUCCEEDED');
    await service.ended(runId);
    const done = await metrics();
    expect(value(done, 'headrace_runs_accepted_total')).toBe(1);
    expect(value(done, 'headrace_runs_running')).toBe(0);
    expect(value(done, 'headrace_runs_ended_total', '{status="succeeded"}')).toBe(1);
    expect(value(done, 'headrace_documents_total', '{outcome="succeeded"}')).toBe(3);
    expect(value(done, 'headrace_documents_total', '{outcome="failed"}')).toBe(2);
    expect(value(done, 'headrace_documents_pending')).toBe(0);
    expect(value(done, 'headrace_connectors_ended_total', '{status="complete"}')).toBe(1);
    expect(value(done, 'headrace_http_requests_in_flight')).toBe(1);
    expect(value(done, 'headrace_http_connections')).toBeGreaterThan(0);
    expect(value(done, 'headrace_store_size_bytes')).toBeGreaterThan(0);
    const samples = (name: string) => [...(done.get(name)?.samples ?? [])];
    expect(samples('headrace_store_commit_duration_seconds').at(-1)?.[1]).toBeGreaterThan(0);
    const requests = samples('headrace_http_request_duration_seconds').map(([key]) => key);
    expect(requests).toContain(
      'headrace_http_request_duration_seconds_count{method="GET",route="/v1/run/:id",status="2xx"}',
    );
    expect(requests.join()).not.toContain(runId);
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) {
      expect(value(done, name)).toBeGreaterThan(0);
    }
    expect(value(done, 'process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('has one series for all unknown paths', async () => {
    const service = await testService();
    for (const path of ['/nothing', '/v1/nothing/2']) await service.ask(path);
    const families = readExposition((await service.ask('/metrics')).text);
    const requests = [...(families.get('headrace_http_request_duration_seconds')?.samples.keys() ?? [])];
    expect(requests.filter((key) => key.includes('_count') && key.includes('4xx'))).toEqual([
      'headrace_http_request_duration_seconds_count{method="GET",route="none",status="4xx"}',
    ]);
  });
});
