import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineRuns, type EngineUnderTest, type Fields, outcome, QUICK } from './engine-runs.ts';
import { type Fault, FaultyProxy } from './faulty-proxy.ts';

/** Returns a document with children of these numbers. */
function family(id: string, numbers: readonly number[], more: Fields = {}): Fields {
  const children = numbers.map((number) => ({ id: `${id}-${number}`, parent_s: id, n_i: number }));
  return { id, ...more, ...(children.length === 0 ? {} : { ___children: children }) };
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/**
 * The tests for every indexer that deletes old children (`indexer.childrenField`).
 *
 * @param url returns the URL of the engine; called only inside tests and hooks
 * @param http true if failures of HTTP can be tested
 */
export function describeFamilies(engine: EngineUnderTest, url: () => string, http = true): void {
  describe('every indexer that deletes old children', () => {
    const runs = new EngineRuns(engine);
    let proxy: FaultyProxy | undefined;
    beforeAll(async () => {
      if (http) proxy = await FaultyProxy.start(url());
    });
    afterAll(async () => {
      await proxy?.close();
      await runs.close();
    });
    beforeEach(() => proxy?.reset());

    const send = (target: string, documents: readonly Fields[], settings = '', stages = 'class: EmitNestedChildren') =>
      runs.send(
        proxy?.url ?? url(),
        target,
        documents,
        `${QUICK}, childrenField: parent_s, ${settings}`,
        '',
        `{${stages}}`,
      );
    const ids = async (target: string) => Object.keys(await engine.contents(target)).sort();

    it.each<[string, string, (Fault | undefined)[]]>([
      ['', '', []],
      [', with families over several batches', 'batchSize: 2', []],
      [
        ', during failures',
        'batchSize: 3',
        [{ kind: 'answer', status: 503 }, undefined, { kind: 'cut' }, undefined, { kind: 'cut-reply' }],
      ],
    ])('deletes exactly the children that a new version of a document lacks%s', async (_, settings, faults) => {
      const target = await engine.create();
      const odd = `it's "A" \\ OR *:*`;
      const first = [
        family('a', numbers(4)),
        family('b', [1, 2]),
        family(odd, [1, 2]),
        family('c', [1]),
        family('a-1', [1]),
      ];
      expect(outcome(await send(target, first, settings)).failed).toEqual({});
      proxy?.faults(...faults);
      const second = [family('a', [2, 5]), family(odd, [2]), family('c', [])];
      expect(outcome(await send(target, second, settings))).toMatchObject({ status: 'SUCCEEDED', failed: {} });
      const left = ['a', 'a-2', 'a-5', 'b', 'b-1', 'b-2', odd, `${odd}-2`, 'c', 'a-1', 'a-1-1'];
      // The family a-1 belongs to a document, which has the id of a child that no longer exists.
      expect(await ids(target)).toEqual(left.sort());
    });

    it('deletes the children of the first of two versions in a run', async () => {
      const target = await engine.create();
      const versions = [family('a', [1, 2, 3]), family('b', [1]), family('a', [3, 4])];
      await send(target, versions);
      expect(await ids(target)).toEqual(['a', 'a-3', 'a-4', 'b', 'b-1']);
      await send(target, [family('a', [4]), family('b', [2]), family('a', [5])], 'batchSize: 2');
      expect(await ids(target)).toEqual(['a', 'a-5', 'b', 'b-2']);
    });

    it('deletes the children of a deleted document, and of a dropped document only if it has new ones', async () => {
      const target = await engine.create();
      await send(target, [family('a', [1, 2]), family('b', [1, 2]), family('c', [1, 2])]);
      const marks = 'deletionMarkerField: gone_s, deletionMarkerFieldValue: "yes"';
      await send(target, [family('a', [], { gone_s: 'yes' })], marks);
      const drop = `class: EmitNestedChildren}, {class: DropDocument, conditions: [{fields: [drop_s], values: ["yes"]}]`;
      await send(target, [family('b', [2], { drop_s: 'yes' }), family('c', [], { drop_s: 'yes' })], '', drop);
      expect(await ids(target)).toEqual(['b', 'b-2', 'c', 'c-1', 'c-2']);
    });

    it('keeps the children of a document that failed, and a child that could not be replaced', async () => {
      const target = await engine.create();
      await send(target, [family('a', [1, 2]), family('b', [1, 2, 3])]);
      const bad = { id: 'b-2', parent_s: 'b', n_i: 'no number' };
      const second = [family('a', [2], { n_i: 'no number' }), { ...family('b', [1]), ___children: [bad] }];
      expect(Object.keys(outcome(await send(target, second)).failed).sort()).toEqual(['a', 'b-2']);
      expect(await ids(target)).toEqual(['a', 'a-1', 'a-2', 'b', 'b-2']);
    });

    it('deletes the old children of a family that is larger than a batch', async () => {
      const target = await engine.create();
      await send(target, [family('a', numbers(2500))], 'batchSize: 1000');
      await send(target, [family('a', numbers(1500))], 'batchSize: 1000');
      expect(await ids(target)).toHaveLength(1501);
    });
  });
}
