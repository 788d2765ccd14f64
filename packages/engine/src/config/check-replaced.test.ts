import { expect, it } from 'vitest';
import { indexer, problemsOf } from './checked-config.test.lib.ts';

it('warns of a key that is given twice with different values, at the position of the lost value', async () => {
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
  expect(problems.filter((problem) => problem.includes('given twice'))).toEqual([
    'warning connectors[0].count 2:41 count is given twice with different values: the one in line 3 counts, this one is lost | Remove one of them.',
    'warning worker.threads 7:10 threads is given twice with different values: the one in line 8 counts, this one is lost | Remove one of them.',
  ]);
});
