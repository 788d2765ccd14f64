import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const separate = new RunHarness();
const local = new RunHarness({ isLocal: true });
afterAll(() => Promise.all([separate.close(), local.close()]));

/** The result without times. */
async function resultOf(harness: RunHarness, config: string) {
  const { status, counts, problems, connectors } = await harness.run(config);
  return { status, counts, problems, connectors: connectors.map(({ seconds: _, ...rest }) => rest) };
}

describe('a run in the thread of its caller', () => {
  it('has the result of a run in a separate thread, also if it fails', async () => {
    for (const config of [
      configOf({ stages: '{class: Trouble, kind: throw, every: 3}' }),
      configOf({ connector: 'class: CountConnector, count: 10, failAfter: 5' }),
      configOf({ stages: '{class: Missing}' }),
      configOf({ stages: '{class: Trouble, kind: exit, at: 2}' }),
    ]) {
      expect(await resultOf(local, config)).toEqual(await resultOf(separate, config));
    }
  });

  it('does not wait for itself when more documents fail than may be in transit', async () => {
    const { counts } = await local.run(
      configOf({ connector: 'class: CountConnector, count: 20000', stages: '{class: Trouble, kind: throw}' }),
    );
    expect(counts).toMatchObject({ published: 20_000, failed: 20_000 });
    const kept = local.failures.filter(({ runId }) => runId === local.lastRunId);
    expect(kept.length).toBeGreaterThan(1000);
  });

  it('can be stopped while another run of the thread continues', async () => {
    const endless = local.start(configOf({ connector: 'class: CountConnector, count: 0, endless: true' }));
    const other = local.start(configOf({ connector: 'class: CountConnector, count: 0, endless: true' }));
    const moved = async (run: typeof other) => {
      const before = run.progress().counts.succeeded;
      while (run.progress().counts.succeeded === before) await new Promise((resolve) => setImmediate(resolve));
    };
    await moved(endless);
    endless.stop('CANCELLED');
    const result = await endless.done;
    expect(result.status).toBe('CANCELLED');
    accountsOf(result);
    await moved(other);
    other.stop('CANCELLED');
    expect((await other.done).status).toBe('CANCELLED');
  });
});
