import { afterAll, beforeAll, expect, it } from 'vitest';
import { byId, EngineRuns, type EngineUnderTest, type Fields, outcome, QUICK } from './engine-runs.ts';
import { type Fault, FaultyProxy } from './faulty-proxy.ts';

/**
 * The tests for every indexer that supports deletes by a field.
 *
 * @param url returns the URL of the engine; called only inside tests and hooks
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
    [', during failures', '', [{ kind: 'cut-reply' }, { kind: 'answer', status: 429 }, undefined, { kind: 'cut' }]],
    [', although responses are lost', '', [{ kind: 'cut-reply' }, undefined, { kind: 'cut-reply' }]],
    [', with one document per request', 'batchSize: 1', []],
  ])('deletes by a field the documents before, but not those after%s', async (_, more, faults) => {
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
