import { randomUUID } from 'node:crypto';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { directoryWith, headrace } from './headrace.ts';

const alias = `rollback-${randomUUID()}`;

await describeWithServer('opensearch', (server) => {
  const count = async (query: string) => {
    const answer = await fetch(`${server.url}/${alias}/_count?q=${query}`);
    return ((await answer.json()) as { count: number }).count;
  };
  afterAll(async () => {
    const answer = await fetch(`${server.url}/${alias}-*/_alias`);
    for (const name of Object.keys((await answer.json()) as object)) {
      await fetch(`${server.url}/${name}`, { method: 'DELETE' });
    }
  });

  it('prints the checks of a rebuild, rolls back with a sentence, and refuses distributed runs', async () => {
    const cwd = directoryWith({
      'a.conf': `
        connectors: [{ class: JSONConnector, name: c, pipeline: p, jsonPath: "a.jsonl" }]
        pipelines: [{ name: p, stages: [{ class: SetStaticValues, staticValues { version: \${version} } }] }]
        version = 1
        indexer { type: OpenSearch }
        opensearch {
          url: "${server.url}", index: "${alias}"
          create { mappings { properties { version { type: integer } } } }
          rebuild { checks { required { version: 100 } } }
        }
        kafka { bootstrapServers: "localhost:1", consumerGroupId: g, maxPollIntervalSecs: 1, maxRequestSize: 1000 }`,
      'a.jsonl': '{"id":"1"}\n{"id":"2"}\n',
    });
    const early = await headrace(['rollback', 'a.conf'], { cwd });
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is no alias ${alias}`) });
    for (const version of [1, 2]) {
      const run = await headrace(['run', 'a.conf', '-s', `version=${version}`], { cwd });
      expect(run).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Check required version: passed. 100 % of the documents have it'),
      });
    }
    expect(await count('version:2')).toBe(2);
    expect(await headrace(['rollback', 'a.conf'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^The alias ${alias} points to ${alias}-.* again, which replaces .*\n$`),
      ),
    });
    expect(await count('version:1')).toBe(2);
    expect(await headrace(['run', 'a.conf', '--distributed'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A distributed run does not support opensearch.rebuild'),
    });
  });
});
