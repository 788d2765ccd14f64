import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DistributedSetup } from './distributed-run.test.lib.ts';

/** Destinations that are files, when a part of a distributed run ends and starts again. */

/** Publishes documents in two groups. The second waits until the destination has the first, and for the file `next`. */
const CONNECTOR = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { Connector, Document, Type } from 'headrace';
  export class TwoGroups extends Connector {
    static parameters = Type.Object({ folder: Type.String() });
    async execute(publisher) {
      for (let i = 0; i < 200; i++) await publisher.publish(Document.create('first' + i));
      await publisher.settled();
      writeFileSync(this.params.folder + '/settled', '');
      while (!existsSync(this.params.folder + '/next')) await sleep(20);
      for (let i = 0; i < 200; i++) await publisher.publish(Document.create('second' + i));
    }
  }
`;

/** Ends its thread once, at a document of the second group. */
const STAGE = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { Stage, Type } from 'headrace';
  export class EndsOnce extends Stage {
    static parameters = Type.Object({ marker: Type.String() });
    process(document) {
      if (document.id !== 'second7' || existsSync(this.params.marker)) return;
      writeFileSync(this.params.marker, '');
      process.exit(3);
    }
  }
`;

const IDS = Array.from({ length: 400 }, (_, i) => (i < 200 ? `first${i}` : `second${i - 200}`)).sort();

await describeWithServer('kafka', (server) => {
  let setup: DistributedSetup;

  beforeEach(async () => {
    setup = await DistributedSetup.open(server.url);
    setup.write('connector.js', CONNECTOR);
    setup.write('stage.js', STAGE);
  });
  afterEach(() => setup.close());

  function writeConfig(stages = ''): void {
    const groups = setup.name('groups');
    setup.writeConfig(
      `connectors: [{ class: "./connector.js#TwoGroups", name: groups, pipeline: "${groups}", folder: "${setup.folder}" }]
       pipelines: [{ name: "${groups}", stages: [${stages}] }]`,
    );
  }

  const lines = (name: string) => readFileSync(join(setup.folder, name), 'utf8').split('\n').slice(0, -1);

  it('--external keeps the rows of a file when a stage ends its thread', async () => {
    writeConfig(`{ class: "./stage.js#EndsOnce", marker: "${setup.folder}/ended" }`);
    setup.write('next', '');
    setup.write('out.csv', '"a file of another run"\n');
    const run = await setup.run(
      'run',
      'run.conf',
      '--external',
      '-s',
      'indexer.type=CSV',
      '-s',
      'csv.path=out.csv',
      '-s',
      'csv.columns.0=id',
    );
    expect(await run.ended, run.output.slice(-2000)).toBe(0);
    expect(run.output).toContain('It starts again in');
    expect(run.output).not.toMatch(/Aborting|FAILED/);
    expect(run.summary).toContain('groups: complete. 400 docs succeeded. 0 docs failed. 0 docs dropped.');
    const [header, ...rows] = lines('out.csv');
    expect(header).toBe('"id"');
    // At least once: what was in progress may be written twice.
    expect([...new Set(rows)].sort()).toEqual(IDS.map((id) => `"${id}"`));
  });

  it('a worker-indexer adds documents to the file that a killed one has left', async () => {
    writeConfig();
    const options = ['-s', 'indexer.type=JSONLines', '-s', 'jsonl.path=out.jsonl'];
    const killed = setup.start('worker-indexer', 'run.conf', ...options);
    const run = setup.start('run', 'run.conf', '--distributed', ...options);
    await run.until(() => setup.has('settled'));
    expect(await killed.signal('SIGKILL')).toBe(null);
    appendFileSync(join(setup.folder, 'out.jsonl'), '{"id":"seco');
    const next = setup.start('worker-indexer', 'run.conf', ...options);
    setup.write('next', '');
    expect(await run.ended, run.output.slice(-2000)).toBe(0);
    expect(run.summary).toContain('groups: complete. 400 docs succeeded. 0 docs failed. 0 docs dropped.');
    expect(next.output).toContain('out.jsonl ended with an incomplete row');
    const ids = lines('out.jsonl').map((line) => (JSON.parse(line) as { id: string }).id);
    expect([...new Set(ids)].sort()).toEqual(IDS);
  });
});
