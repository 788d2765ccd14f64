import { closedPort } from '@headrace/testing/closed-port';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, incompressible } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** A port at which no program listens. */
const NO_BROKER = 'kafka.bootstrapServers=127.0.0.1:1';

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;
  let pipeline: string;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    pipeline = setup.writeNumbers('health', 100);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  /** Starts a process with a health endpoint. */
  async function startWithHealth(role: string, ...more: readonly string[]) {
    const port = await closedPort();
    const service = setup.start(role, 'run.conf', '--health-port', String(port), ...more);
    await service.says('reports its health on port');
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, text: await response.text() };
    };
    return { service, get };
  }

  it('the metrics have the lag of each partition, which falls to 0', async () => {
    await topics.create(`${setup.group}_${pipeline}_source`);
    await topics.create(`${setup.group}_${pipeline}_dest`);
    const messages = Array.from({ length: 8 }, (_, i) => ({ key: `${i}`, value: `{"id":"${i}"}`, partition: i % 2 }));
    await topics.write(`${setup.group}_${pipeline}_dest`, messages);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    setup.hold(released);
    const { service, get } = await startWithHealth('indexer');
    const lag = async () => (await get('/metrics')).text.match(/^headrace_queue_lag_messages.*$/gm);
    const lines = (numbers: readonly number[]) =>
      numbers.map(
        (n, i) => `headrace_queue_lag_messages{topic="${setup.group}_${pipeline}_dest",partition="${i}"} ${n}`,
      );
    await expect.poll(lag, { interval: 500 }).toEqual(lines([4, 4, 0, 0]));
    expect((await get('/metrics')).text).toMatch(/^headrace_queue_up 1$/m);
    release();
    await expect.poll(lag, { interval: 500 }).toEqual(lines([0, 0, 0, 0]));
    expect(await service.signal('SIGTERM')).toBe(0);
  });

  it.each(['worker', 'indexer', 'worker-indexer'])(
    'a %s reports in /readyz that no broker answers, and ends with 0 after SIGTERM',
    async (role) => {
      const { service, get } = await startWithHealth(role, '-s', NO_BROKER);
      await service.says('Trying again until the brokers answer');
      const ready = await get('/readyz');
      expect(ready.status).toBe(503);
      expect(ready.text).toMatch(/: starting: Kafka at 127\.0\.0\.1:1: .*ECONNREFUSED/);
      const { text } = await get('/metrics');
      expect(text).toMatch(/^headrace_queue_up 0$/m);
      expect(text).not.toMatch(/^headrace_queue_lag_messages/m);
      expect((await get('/livez')).status).toBe(200);
      expect(await service.signal('SIGTERM')).toBe(0);
    },
  );

  it('a role is ready when it has reached its destination and has partitions', async () => {
    const away = await startWithHealth(
      'indexer',
      '-s',
      'http.url=http://127.0.0.1:1/',
      '-s',
      'indexer.connectTimeout=0',
    );
    await away.service.says('starts again in');
    const unready = await away.get('/readyz');
    expect(unready.status).toBe(503);
    expect(unready.text).toMatch(/^indexer of pipeline .*: restarting: Indexer could not connect.*ECONNREFUSED/);
    const { get } = await startWithHealth('indexer');
    const ready = `indexer of pipeline ${pipeline}: ready: reads partitions 0, 1, 2, 3 of ${setup.group}_${pipeline}_dest\n`;
    await expect.poll(() => get('/readyz'), { interval: 200 }).toEqual({ status: 200, text: ready });
  });

  it('a run reports that no broker answers, also in /readyz, and ends with 143 after SIGTERM', async () => {
    const { service: run, get } = await startWithHealth('run', '--distributed', '-s', NO_BROKER);
    await run.says('Trying again until the brokers answer');
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.text).toMatch(/^publisher: starting: Kafka at 127\.0\.0\.1:1: .*ECONNREFUSED/);
    expect(await run.signal('SIGTERM')).toBe(143);
    expect(run.summary).toContain('RUN SUMMARY: Cancelled.');
  });

  it('a run has a health endpoint, which shows that no worker is running, and the work that waits', async () => {
    const { service: run, get } = await startWithHealth('run', '--distributed');
    const metrics = async () => (await get('/metrics')).text;
    const lag = new RegExp(
      `^headrace_queue_lag_messages\\{topic="${setup.group}_${pipeline}_source",partition="\\d"\\} [1-9]`,
      'm',
    );
    await expect.poll(metrics, { interval: 500 }).toMatch(lag);
    expect(await metrics()).toMatch(/^headrace_role_documents_published_total 100$/m);
    const advice = `No worker is running. Start one: headrace worker CONFIG --pipeline ${pipeline}.`;
    await expect.poll(async () => (await get('/readyz')).text, { interval: 200 }).toContain(advice);
    expect((await get('/readyz')).status).toBe(200);
    setup.start('worker-indexer', 'run.conf');
    await run.says('are being processed again');
    expect(await run.ended).toBe(0);
  });

  it('a health port that another program uses is refused, and no run starts', async () => {
    const { port } = new URL(setup.destination.url);
    for (const command of [['worker'], ['run', '--external']]) {
      const [name = '', ...options] = command;
      const refused = await setup.run(name, 'run.conf', ...options, '--health-port', port);
      expect(await refused.ended).toBe(1);
      expect(refused.stderr).toContain(`--health-port: another program listens on port ${port}. Choose another port.`);
      expect(refused.output).not.toContain('    at ');
    }
    expect(await topics.list(pipeline)).toEqual([]);
  });

  it('a health port of a run in one process is refused with exit code 2', async () => {
    const run = await setup.run('run', 'run.conf', '--health-port', '8080');
    expect(await run.ended).toBe(2);
    expect(run.output).toContain('--health-port needs --distributed or --external.');
  });

  it('--pipeline without --external, or with a pipeline that no connector feeds, is refused with exit code 2', async () => {
    const refusals = [
      [[], '--pipeline needs --external. A run in one process executes all pipelines.'],
      [['--distributed'], '--pipeline needs --external. With --distributed, this process has no workers and indexers.'],
      [['--external'], `--pipeline: no connector feeds nowhere. The connectors feed ${pipeline}.`],
    ] as const;
    await Promise.all(
      refusals.map(async ([options, message]) => {
        const run = await setup.run('run', 'run.conf', '--pipeline', 'nowhere', ...options);
        expect(await run.ended).toBe(2);
        expect(run.output).toContain(message);
      }),
    );
  });

  it('--external refuses two pipelines that would write the same file, with exit code 2', async () => {
    setup.write(
      'two.conf',
      `connectors: [{ class: SequenceConnector, pipeline: a, numDocs: 1 }, { class: SequenceConnector, pipeline: b, numDocs: 1 }]
       pipelines: [{ name: a, stages: [] }, { name: b, stages: [] }]
       indexer { type: JSONLines }, jsonl { path: out.jsonl }
       kafka { bootstrapServers: "${server.url}", consumerGroupId: "${setup.group}", maxPollIntervalSecs: 60, maxRequestSize: 1000000 }`,
    );
    const run = await setup.run('run', 'two.conf', '--external');
    expect(await run.ended).toBe(2);
    expect(run.output).toContain(
      '--external runs an indexer for each pipeline (a, b), and only one of them could write',
    );
  });

  it('dead-letters reports a missing topic, and brokers that do not answer, with exit code 1', async () => {
    const missing = await setup.run('dead-letters', `${pipeline}_nothing`, '--config', 'run.conf');
    expect(await missing.ended).toBe(1);
    expect(missing.stderr).toContain(`There is no topic ${pipeline}_nothing at`);
    const away = await setup.run(
      'dead-letters',
      `${setup.group}_${pipeline}_fail`,
      '--config',
      'run.conf',
      '-s',
      NO_BROKER,
    );
    expect(await away.ended).toBe(1);
    expect(away.stderr).toContain('Kafka at 127.0.0.1:1: ');
    const invalid = await setup.run('dead-letters', 'no topic', '--config', 'run.conf');
    expect(await invalid.ended).toBe(1);
    expect(invalid.stderr).toContain('There is no topic no topic at');
    for (const { stderr } of [missing, away]) expect(stderr).not.toContain('    at ');
  });

  it('a process without partitions logs a warning that says what to do', async () => {
    await topics.create(`${setup.group}_${pipeline}_source`, 1);
    const first = setup.start('worker', 'run.conf');
    await first.says(`The topic ${setup.group}_${pipeline}_source has 1 partition, and kafka.partitions is 4`);
    await first.says(/now 0"/);
    const second = setup.start('worker', 'run.conf');
    await second.says(
      `This process has nothing to do: other processes read all partitions of ${setup.group}_${pipeline}_source`,
    );
    expect(first.output).not.toContain('nothing to do');
  });

  it('a Kafka login without a mechanism is refused with exit code 2', async () => {
    const run = await setup.run('worker', 'run.conf', '-s', 'kafka.securityProtocol=SASL_PLAINTEXT');
    expect(await run.ended).toBe(2);
    expect(run.output).toContain('sasl.mechanism must be one of');
  });

  it('the list of failures contains a document that is too large', async () => {
    setup.writeLines('large.jsonl', [{ id: 'a' }, { id: 'large', text: incompressible(16_000_000) }]);
    setup.writeConfig(
      `connectors: [{ class: JSONConnector, name: large, pipeline: "${pipeline}", jsonPath: large.jsonl }]
       pipelines: [{ name: "${pipeline}", stages: [] }]`,
    );
    const run = await setup.run('run', 'run.conf', '--external');
    expect(run.summary).toContain('large: complete. 1 docs succeeded. 1 docs FAILED.');
    expect(run.output).toContain('Document large failed: Kafka at');
  });
});
