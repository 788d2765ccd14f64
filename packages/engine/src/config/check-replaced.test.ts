import { expect, it } from 'vitest';
import { indexer, problemsOf } from './checked-config.test.lib.ts';

it('warns of a key with two different values at the position of the value that is lost', async () => {
  const text = `connectors: [{
  class: Numbers, name: c, pipeline: p, count: 1
  count: 2
}]
pipelines: [{ name: p, stages: [] }]
${indexer}
worker { threads: 1 }
worker { threads: 2 }
name = a
name = \${?NAME}
greeting = \${name}
`;
  const problems = await problemsOf(text);
  expect(problems.filter((problem) => problem.includes('appears twice'))).toEqual([
    'warning connectors[0].count 2:41 count appears twice with different values: the value in line 3 is used, this value is lost | Remove one of them.',
    'warning worker.threads 7:10 threads appears twice with different values: the value in line 8 is used, this value is lost | Remove one of them.',
  ]);
});
