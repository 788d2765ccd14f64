import { expect, it } from 'vitest';
import { byId, DELETES, type EngineRuns, type EngineUnderTest, type Fields, numbered, outcome } from './engine-runs.ts';

/**
 * The tests for every indexer without faults.
 *
 * @param url returns the URL of the engine; called only inside tests and hooks
 */
export function describeWriting(engine: EngineUnderTest, runs: EngineRuns, url: () => string): void {
  it('writes documents with all kinds of values and names', async () => {
    const target = await engine.create();
    const documents: Fields[] = [
      { id: 'a/b c?&"é', n_i: 1, d_d: 1.5, b_b: true, s_s: 'tab\t"q" \'s\' \\ 日😀', ss_ss: ['x', 'y'] },
      { id: ' x ', ss_ss: ['one', 'two'] },
      ...numbered(250),
    ];
    const result = await runs.send(url(), target, documents);
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 252, failed: {} });
    expect(await engine.contents(target)).toEqual(byId(documents));
  });

  it('deletes marked documents, in the order of the documents', async () => {
    const target = await engine.create();
    const documents: Fields[] = [
      { id: '1', n_i: 1 },
      { id: '1', n_i: 11 },
      { id: '2', n_i: 2 },
      { id: '3', n_i: 3 },
      { id: '2', del_s: 'yes' },
      { id: '3', del_s: 'yes' },
      { id: '3', n_i: 33 },
      { id: 'unknown', del_s: 'yes' },
      { id: '4', del_s: 'no' },
    ];
    expect(outcome(await runs.send(url(), target, documents, DELETES))).toEqual({
      status: 'SUCCEEDED',
      succeeded: 9,
      failed: {},
    });
    expect(await engine.contents(target)).toEqual(
      byId([
        { id: '1', n_i: 11 },
        { id: '3', n_i: 33 },
        { id: '4', del_s: 'no' },
      ]),
    );
  });

  it('writes only the selected fields, with the id of idOverrideField', async () => {
    const target = await engine.create();
    const documents = [
      { id: '1', oid_s: 'A', n_i: 1, t_s: 'x', u_s: 'y' },
      { id: '2', n_i: 2, u_s: 'z' },
    ];
    const settings = 'idOverrideField: oid_s, whitelist: [id, n_i, t_s], blacklist: [t_s]';
    expect(outcome(await runs.send(url(), target, documents, settings)).succeeded).toBe(2);
    expect(await engine.contents(target)).toEqual(
      byId([
        { id: 'A', n_i: 1 },
        { id: '2', n_i: 2 },
      ]),
    );
  });

  it('rejects documents with an empty id', async () => {
    const target = await engine.create();
    const documents = [{ id: '1', t_s: '' }, { id: '2', t_s: '' }, { id: '3' }];
    const reason = expect.stringMatching(/^The field t_s .*\(indexer\.idOverrideField\) is empty$/);
    expect(outcome(await runs.send(url(), target, documents, 'idOverrideField: t_s'))).toEqual({
      status: 'SUCCEEDED',
      succeeded: 1,
      failed: { 1: reason, 2: reason },
    });
    expect(await engine.contents(target)).toEqual({ 3: { id: '3' } });
  });
}
