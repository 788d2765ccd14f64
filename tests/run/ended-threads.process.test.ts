import { queryObjects } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { afterAll, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const ports = () => queryObjects(MessagePort, { format: 'count' }) as unknown as number;

it('finished threads of runs and previews leave nothing in the process', async () => {
  // The main thread of Node lists every thread of the process, with a port for each.
  expect(isMainThread).toBe(true);
  const config = configOf({ connector: 'class: CountConnector, count: 10' });
  const several = async () => {
    for (let i = 0; i < 5; i++) {
      await harness.run(config);
      await harness.preview(config);
    }
  };
  await several();
  const before = ports();
  await several();
  await expect.poll(ports).toBeLessThanOrEqual(before);
});
