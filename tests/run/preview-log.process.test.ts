import { afterAll, describe, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const log = (message: string, level = 'info') => ({ level, stage: 'talk', message });

async function preview(script: string, documents: string[], trace: boolean) {
  const config = configOf({ stages: `{ class: ApplyJavascript, name: talk, script: ${JSON.stringify(script)} }` });
  const { results, problems } = await harness.preview(config, { documents, trace, trusted: true });
  expect(problems).toEqual([]);
  return results;
}

describe('the messages of stages in a preview', () => {
  it.each([false, true])('are attached to the document in progress (traced: %s)', async (trace) => {
    const script = `if (doc.id !== 'b') console.log('at ' + doc.id); if (doc.id === 'c') { console.error('bad'); throw new Error('no') }`;
    const results = await preview(script, ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}'], trace);
    expect(results.map((result) => result.log)).toEqual([[log('at a')], undefined, [log('at c'), log('bad', 'error')]]);
  });

  it('are limited, with a final line about the rest', async () => {
    const script = `console.log('x'.repeat(5000)); for (let i = 1; i < 150; i++) console.log(i)`;
    const [{ log: lines = [] } = {}] = await preview(script, ['{"id":"a"}'], false);
    expect(lines).toHaveLength(101);
    expect(lines[0]).toEqual(log(`${'x'.repeat(2000)}…`));
    expect(lines.slice(-2)).toEqual([log('99'), { level: 'warn', stage: '', message: 'Lines not shown: 50' }]);
  });

  it(
    'include the output of a script process',
    async () => {
      const script = 'print("at " + doc.id)';
      const config = configOf({ stages: `{ class: EmbeddedPython, name: talk, script: ${JSON.stringify(script)} }` });
      const request = { documents: ['{"id":"a"}', '{"id":"b"}'], trusted: true };
      const { results } = await harness.preview(config, request, 10 * 60_000);
      expect(results.map((result) => result.log)).toEqual([[log('at a')], [log('at b')]]);
    },
    10 * 60_000,
  );
});

it('a document gets at most a third of the time of a preview', async () => {
  const config = configOf({ stages: '{ class: Trouble, name: slow, kind: hang, at: 5 }' });
  const documents = ['{"id":"a","n":5}', '{"id":"b","n":1}'];
  const { results } = await harness.preview(config, { documents }, 30_000);
  expect(results).toMatchObject([
    { documents: [], failure: { stage: 'slow', code: 'HR_STAGE_OVERDUE' } },
    { documents: ['{"id":"b","n":1}'] },
  ]);
});
