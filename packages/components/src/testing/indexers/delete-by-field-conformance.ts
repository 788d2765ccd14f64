import { afterAll, beforeAll, expect, it } from 'vitest';
import { byId, EngineRuns, type EngineUnderTest, type Fields, outcome, QUICK } from './engine-runs.ts';
import { type Fault, FaultyProxy } from './faulty-proxy.ts';

/**
 * What every indexer must do that deletes by a field.
 *
 * @param url of the engine, inside tests and hooks
 */
export function describeDeletesByField(engine: EngineUnderTest, url: () => string): void {
  const runs = new EngineRuns(engine);
  let proxy: FaultyProxy;
  beforeAll(async () => {
    proxy = await FaultyProxy.start(url());
  });
  afterAll(async () => {
    await proxy.close();
    await runs.close();
  });

  it.each<[string, string, (Fault | undefined)[]]>([
    ['', '', []],
    [', whatever goes wrong', '', [{ kind: 'cut-reply' }, { kind: 'answer', status: 429 }, undefined, { kind: 'cut' }]],
    [', though replies are lost', '', [{ kind: 'cut-reply' }, undefined, { kind: 'cut-reply' }]],
    [', each by itself', 'batchSize: 1', []],
  ])('deletes by a field what was written before, and nothing that comes after%s', async (_, more, faults) => {
    const target = await engine.create();
    const odd = `it's, "P2" \\ OR *:*`;
    const documents: Fields[] = [
      { id: '1', parent_s: 'P1' },
      { id: '2', parent_s: odd },
      { id: '3', n_i: 7 },
      { id: '5', parent_s: 'P5' },
      { id: '6', parent_s: 'P6' },
      { id: 'x', del: 'true', by: 'parent_s', value: 'P1' },
      { id: 'x', del: 'true', by: 'parent_s', value: 'P1' },
      { id: 'y', del: 'true', by: 'parent_s', value: odd },
      { id: 'z', del: 'true', by: 'n_i', value: '7' },
      { id: '4', parent_s: 'P1' },
      { id: '5', del: 'true' },
    ];
    const settings = `${QUICK}, deletionMarkerField: del, deletionMarkerFieldValue: "true",
      deleteByFieldField: by, deleteByFieldValue: value, ${more}`;
    proxy.faults(...faults);
    const result = await runs.send(proxy.url, target, documents, settings);
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 11, failed: {} });
    const left = [
      { id: '4', parent_s: 'P1' },
      { id: '6', parent_s: 'P6' },
    ];
    expect(await engine.contents(target)).toEqual(byId(left));
  });
}
