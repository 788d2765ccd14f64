import { closedPort } from '@headrace/testing/closed-port';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup, type Indexed, incompressible, repeated, sorted } from './distributed-run.test.lib.ts';
import { KafkaTopics } from './kafka-topics.test.lib.ts';

/** Custom stages of the tests. A document with the field bad fails. Every fourth document of Slow takes time. */
const STAGES = `
  import { Stage, Type } from 'headrace';
  export class FailBad extends Stage {
    static parameters = Type.Object({});
    process(document) {
      if (document.has('bad')) throw new Error('the document ' + document.id + ' is bad');
    }
  }
  export class Slow extends Stage {
    static parameters = Type.Object({ millis: Type.Integer() });
    documents = 0;
    process() {
      if (++this.documents % 4 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.params.millis);
    }
  }
`;

/** Each test starts up to five processes. */
await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;
  let topics: KafkaTopics;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    topics = await KafkaTopics.open(server.url);
    setup.write('stages.js', STAGES);
  });
  afterEach(async () => {
    await topics.close();
    await setup.close();
  });

  /** Two connectors that feed two pipelines, with children, dropped documents and failing documents. */
  function writeVariedConfig(kafka = ''): void {
    const documents = Array.from({ length: 1000 }, (_, n) => ({
      id: `json-${n}`,
      n,
      text: `text ${n} with "quotes", a tab \t, and ü\u{1f600}\u2028`,
      list: [1, 1.5, null, { deep: ['x', true] }],
      whole: 1.0,
      ...(n % 10 === 3 ? { bad: 'yes' } : {}),
      ...(n % 10 === 4 ? { unwanted: 'yes' } : {}),
    }));
    setup.writeLines('documents.jsonl', documents);
    setup.writeConfig(
      `connectors: [
         { class: SequenceConnector, name: numbers, pipeline: "${setup.name('children')}", numDocs: 700, docIdPrefix: "n-" }
         { class: JSONConnector, name: documents, pipeline: "${setup.name('plain')}", jsonPath: documents.jsonl }
         { class: SequenceConnector, name: more, pipeline: "${setup.name('plain')}", numDocs: 50, docIdPrefix: "m-" }
       ]
       pipelines: [
         { name: "${setup.name('children')}", stages: [{ class: CreateChildrenStage, numChildren: 3, dropChild: 2 }] }
         { name: "${setup.name('plain')}", stages: [
           { class: DropDocument, conditions: [{ fields: [unwanted] }] }
           { class: "./stages.js#FailBad" }
           { class: SetStaticValues, staticValues: { done: true } }
         ] }
       ]`,
      kafka,
    );
  }

  /** A pipeline without stages, fed with numbered documents. */
  function writeNumbersConfig(count: number, stages = '', kafka = ''): string {
    const pipeline = setup.name('numbers');
    setup.writeConfig(
      `connectors: [{ class: SequenceConnector, name: numbers, pipeline: "${pipeline}", numDocs: ${count} }]
       pipelines: [{ name: "${pipeline}", stages: [${stages}] }]`,
      kafka,
    );
    return pipeline;
  }

  const LOCAL_SUMMARY = [
    'numbers: complete. 2100 docs succeeded. 0 docs failed. 700 docs dropped.',
    'documents: complete. 800 docs succeeded. 100 docs FAILED. 100 docs dropped.',
    'more: complete. 50 docs succeeded. 0 docs failed.',
  ];

  it('a run with --external indexes the same documents as a local run, and prints the same summary', async () => {
    writeVariedConfig();
    const local = await setup.run('run', 'run.conf');
    const wanted = sorted(setup.takeIndexed());
    const external = await setup.run('run', 'run.conf', '--external');
    for (const line of LOCAL_SUMMARY.slice(0, 1)) expect(local.summary).toContain(line);
    expect(external.summary).toBe(local.summary);
    expect(await external.ended).toBe(await local.ended);
    expect(sorted(setup.indexed)).toEqual(wanted);
  });

  it("a run with --external in Lucille's format indexes the same documents as a local run, and prints the same summary", async () => {
    writeVariedConfig('documentFormat: lucille');
    const local = await setup.run('run', 'run.conf');
    const wanted = sorted(setup.takeIndexed());
    const external = await setup.run('run', 'run.conf', '--external');
    expect(external.summary).toBe(local.summary);
    expect(await external.ended).toBe(await local.ended);
    expect(sorted(setup.indexed)).toEqual(wanted);
  });

  it('a run with --external and --pipeline leaves the other pipelines to other processes', async () => {
    const [here, there] = [setup.name('here'), setup.name('there')];
    setup.writeConfig(
      `connectors: [{ class: SequenceConnector, name: a, pipeline: "${here}", numDocs: 20 }
         { class: SequenceConnector, name: b, pipeline: "${there}", numDocs: 10 }]
       pipelines: [{ name: "${here}", stages: [] }, { name: "${there}", stages: [] }]`,
    );
    const service = setup.start('worker-indexer', 'run.conf', '--pipeline', there, '--threads', '1');
    const run = setup.start('run', 'run.conf', '--external', '--pipeline', here, '--threads', '2');
    expect(await run.ended).toBe(0);
    expect(setup.indexed).toHaveLength(30);
    // Each process logs the partitions that it reads.
    expect(run.output).toContain(`Partitions of ${setup.group}_${here}_source`);
    expect(run.output).not.toContain(`Partitions of ${setup.group}_${there}_source`);
    expect(await service.signal('SIGTERM')).toBe(0);
  });

  it('a run with --distributed is served by worker and indexer processes, and its event topics are deleted', async () => {
    writeVariedConfig();
    const local = await setup.run('run', 'run.conf');
    const wanted = sorted(setup.takeIndexed());
    const services = ['children', 'plain'].flatMap((pipeline) =>
      ['worker', 'indexer'].map((role) => setup.start(role, 'run.conf', '--pipeline', setup.name(pipeline))),
    );
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.summary).toBe(local.summary);
    expect(await run.ended).toBe(await local.ended);
    expect(sorted(setup.indexed)).toEqual(wanted);
    const left = ['children', 'plain'].flatMap((name) =>
      ['dest', 'fail', 'source'].map((end) => `${setup.name(name)}_${end}`),
    );
    await expect.poll(() => topics.list(setup.suffix)).toEqual(left);
    const codes = await Promise.all(services.map((service) => service.signal('SIGTERM')));
    expect(codes).toEqual([0, 0, 0, 0]);
  });

  it('a worker-indexer serves several runs in sequence', async () => {
    const pipeline = writeNumbersConfig(3000);
    const service = setup.start('worker-indexer', 'run.conf');
    for (let run = 0; run < 3; run++) {
      const { summary } = await setup.run('run', 'run.conf', '--distributed');
      expect(summary).toContain('numbers: complete. 3000 docs succeeded. 0 docs failed. 0 docs dropped.');
      expect(repeated(setup.indexed)).toEqual([]);
      expect(setup.takeIndexed()).toHaveLength(3000);
    }
    expect(await service.signal('SIGTERM')).toBe(0);
    await expect.poll(() => topics.list(`${setup.group}_${pipeline}_event`)).toEqual([]);
  });

  it('two runs at the same time are served by the same processes, and each counts its own documents', async () => {
    const pipeline = writeNumbersConfig(2000);
    setup.start('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    const counts = [2000, 1234];
    const runs = await Promise.all(
      counts.map((count, i) =>
        setup.run(
          'run',
          'run.conf',
          '--distributed',
          '-s',
          `connectors.0.numDocs=${count}`,
          '-s',
          `connectors.0.docIdPrefix=r${i}-`,
        ),
      ),
    );
    const lines = runs.map(({ summary }) => /numbers: .*/.exec(summary)?.[0]);
    expect(lines).toEqual(
      counts.map((count) => `numbers: complete. ${count} docs succeeded. 0 docs failed. 0 docs dropped. `.trimEnd()),
    );
    expect(setup.distinct).toBe(3234);
    expect(await topics.list(`${setup.group}_${pipeline}_event`)).toEqual([]);
  });

  it('versions of one document arrive in order, with several threads and several processes', async () => {
    const pipeline = setup.name('versions');
    const ids = 40;
    const versions = Array.from({ length: 8000 }, (_, version) => ({ id: `id-${(version * 7) % ids}`, version }));
    setup.writeLines('versions.jsonl', versions);
    setup.writeConfig(
      `connectors: [{ class: JSONConnector, name: versions, pipeline: "${pipeline}", jsonPath: versions.jsonl }]
       pipelines: [{ name: "${pipeline}", stages: [{ class: SetStaticValues, staticValues: { done: true } }] }]`,
    );
    for (const role of ['worker', 'worker', 'indexer', 'indexer']) setup.start(role, 'run.conf', '--threads', '2');
    const { summary } = await setup.run('run', 'run.conf', '--distributed');
    expect(summary).toContain('versions: complete. 8000 docs succeeded.');
    expect(setup.indexed).toHaveLength(8000);
    expect(outOfOrder(setup.indexed)).toEqual([]);
  });

  it('a run reports within seconds that no worker is running, and finishes when processes start', async () => {
    const pipeline = writeNumbersConfig(500);
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.says(`No worker is running. Start one: headrace worker CONFIG --pipeline ${pipeline}`);
    const seconds = Number(/has finished for (\d+) s/.exec(run.output)?.[1]);
    expect(seconds).toBeLessThan(15);
    expect(run.isRunning).toBe(true);
    setup.start('worker', 'run.conf');
    setup.start('indexer', 'run.conf');
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain('numbers: complete. 500 docs succeeded.');
    expect(setup.indexed).toHaveLength(500);
  });

  it('a run reports that workers are running, but no indexer', async () => {
    const pipeline = writeNumbersConfig(500);
    setup.start('worker', 'run.conf');
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.says(`no indexer is. Start one: headrace indexer CONFIG --pipeline ${pipeline}`);
    setup.start('indexer', 'run.conf');
    expect(await run.ended).toBe(0);
    expect(setup.indexed).toHaveLength(500);
  });

  it('a run without workers fails after kafka.stallTimeoutSecs, with the reason', async () => {
    writeNumbersConfig(100, '', 'stallTimeoutSecs: 6');
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(run.output).toContain('has finished for 6 s (kafka.stallTimeoutSecs)');
    expect(run.output).toContain('No worker is running');
    expect(await run.ended).toBe(1);
    await expect.poll(() => topics.list(`${setup.suffix}_event`)).toEqual([]);
  });

  it('a run without the kafka block is refused with exit code 2 and the block to add', async () => {
    setup.write(
      'bare.conf',
      'connectors: [{ class: SequenceConnector, name: n, pipeline: p, numDocs: 1 }], pipelines: [{ name: p, stages: [] }], indexer { type: Nop }',
    );
    for (const args of [
      ['run', 'bare.conf', '--external'],
      ['run', 'bare.conf', '--distributed'],
      ['worker', 'bare.conf'],
    ]) {
      const refused = await setup.run(...args);
      expect(refused.output).toContain('A distributed run needs the block kafka');
      expect(refused.output).toContain('bootstrapServers');
      expect(await refused.ended).toBe(2);
    }
  });

  it('--distributed together with --external is refused with exit code 2', async () => {
    writeNumbersConfig(1);
    const refused = await setup.run('run', 'run.conf', '--distributed', '--external');
    expect(refused.output).toContain('Use --distributed or --external, not both.');
    expect(await refused.ended).toBe(2);
  });

  it('an unknown pipeline, and a missing name among several pipelines, are refused with exit code 2', async () => {
    writeVariedConfig();
    const known = `The config has ${setup.name('children')}, ${setup.name('plain')}.`;
    const unknown = await setup.run('worker', 'run.conf', '--pipeline', 'nowhere');
    expect(unknown.output).toContain(`There is no pipeline nowhere. ${known}`);
    expect(await unknown.ended).toBe(2);
    const unnamed = await setup.run('indexer', 'run.conf');
    expect(unnamed.output).toContain(`Name the pipeline with --pipeline. ${known}`);
    expect(await unnamed.ended).toBe(2);
  });

  it('all mistakes of the kafka block are reported together, with exit code 2', async () => {
    writeNumbersConfig(
      1,
      '',
      'documentFormat: xml, bootstrapServers: nowhere, producerPropertyFile: missing.properties',
    );
    const refused = await setup.run('run', 'run.conf', '--distributed');
    for (const path of ['documentFormat', 'bootstrapServers', 'producerPropertyFile']) {
      expect(refused.output).toContain(`kafka.${path}`);
    }
    expect(await refused.ended).toBe(2);
  });

  it('SIGTERM to a worker and to an indexer in the middle of a run loses nothing and repeats nothing', async () => {
    // A stop has 6 seconds: the open batches of a worker must not need longer, also if the machine is busy.
    const total = 15_000;
    writeNumbersConfig(total, '{ class: "./stages.js#Slow", millis: 1 }');
    const port = await closedPort();
    const leaving = setup.start('worker', 'run.conf', '--health-port', String(port));
    const staying = setup.start('worker', 'run.conf');
    const indexers = [setup.start('indexer', 'run.conf'), setup.start('indexer', 'run.conf')] as const;
    for (const member of [leaving, staying, ...indexers]) await member.says(TWO_PARTITIONS);
    const run = setup.start('run', 'run.conf', '--distributed');
    await leaving.until(async () => (await processed(port)) > 500);
    const codes = await Promise.all([leaving.signal('SIGTERM'), indexers[0].signal('SIGTERM')]);
    expect(codes).toEqual([0, 0]);
    expect(run.isRunning).toBe(true);
    expect(await run.ended).toBe(0);
    expect(run.summary).toContain(`numbers: complete. ${total} docs succeeded. 0 docs failed.`);
    expect(repeated(setup.indexed)).toEqual([]);
    expect(setup.indexed).toHaveLength(total);
  });

  it('SIGTERM in the middle of a run ends it with exit code 143 and the number of its unfinished documents', async () => {
    writeNumbersConfig(20_000, '{ class: "./stages.js#Slow", millis: 1 }');
    setup.start('worker-indexer', 'run.conf');
    const run = setup.start('run', 'run.conf', '--distributed');
    await run.until(() => setup.indexed.length > 200);
    expect(await run.signal('SIGTERM')).toBe(143);
    expect(run.summary).toContain('RUN SUMMARY: Cancelled.');
    await expect.poll(() => topics.list(`${setup.suffix}_event`)).toEqual([]);
  });

  it('the health endpoint answers /livez, /readyz and /metrics', async () => {
    const pipeline = writeNumbersConfig(300);
    const port = await closedPort();
    const service = setup.start('worker-indexer', 'run.conf', '--health-port', String(port));
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await service.says('reports its health on port');
    await service.until(async () => (await get('/readyz')).status === 200);
    expect(await (await get('/livez')).text()).toBe('ok\n');
    expect((await get('/elsewhere')).status).toBe(404);
    const run = await setup.run('run', 'run.conf', '--distributed');
    expect(await run.ended).toBe(0);
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    const text = await metrics.text();
    expect(text).toMatch(/^headrace_role_documents_succeeded_total 300$/m);
    expect(text).toMatch(/^headrace_role_running 1$/m);
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(service.output).toContain(`worker-indexer of pipeline ${pipeline}`);
  });

  it('a document that is too large for a message fails alone, with the setting to change', async () => {
    const pipeline = setup.name('large');
    const documents = [{ id: 'a' }, { id: 'large', text: incompressible(16_000_000) }, { id: 'b' }];
    setup.writeLines('large.jsonl', documents);
    setup.writeConfig(
      `connectors: [{ class: JSONConnector, name: large, pipeline: "${pipeline}", jsonPath: large.jsonl }]
       pipelines: [{ name: "${pipeline}", stages: [] }]`,
    );
    const run = await setup.run('run', 'run.conf', '--external');
    expect(run.summary).toContain('large: complete. 2 docs succeeded. 1 docs FAILED.');
    expect(run.output).toContain('kafka.maxRequestSize');
    expect(setup.indexed.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });
});

/** Matches the log line of a process that shares the four partitions with another process. */
const TWO_PARTITIONS = /now \d, \d"/;

/** Returns the number of documents that a process has processed, from its metrics. */
async function processed(port: number): Promise<number> {
  try {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^headrace_role_documents_succeeded_total (\d+)$/m.exec(text)?.[1]);
  } catch {
    // The process is still starting.
    return 0;
  }
}

/** The documents that arrived after a later version of the same document. */
function outOfOrder(documents: readonly Indexed[]): Indexed[] {
  const last = new Map<string, number>();
  return documents.filter(({ id, version }) => {
    const before = last.get(id) ?? -1;
    last.set(id, version as number);
    return before >= (version as number);
  });
}
