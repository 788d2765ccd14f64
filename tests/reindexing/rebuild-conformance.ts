import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { killRebuilds } from './rebuild-kills.ts';
import { versioned } from './rebuild-runs.ts';
import { rebuildTest } from './rebuild-test.ts';

/** Tests of the blocks `create` and `rebuild` with a real search engine. */
export function describeRebuilds(type: 'OpenSearch' | 'Elasticsearch', url: () => string): void {
  const it = rebuildTest(type, url);

  describe('a rebuild of an index', () => {
    it('moves the alias to a new index with the settings of the config, keeps old indices, and rolls back to them', async ({
      runs,
    }) => {
      const block = `
        create {
          settings { number_of_shards: 2, number_of_replicas: 1, refresh_interval: "7s" }
          mappings { properties { title { type: text }, version { type: integer } }, _meta { owner: shop } }
        }
        rebuild { keep: 2 }`;
      await runs.ask('PUT', `/${runs.alias}-by-hand`);
      await expect(runs.rollback(block)).rejects.toThrow('There is no alias');
      let version = 0;
      const seen = new Set<unknown>();
      const reading = new AbortController();
      const read = (async () => {
        while (!reading.signal.aborted) {
          const before = version;
          const found = await runs.count();
          seen.add(found === undefined && before > 0 ? 'no alias' : (found ?? 0) / 20);
        }
      })();
      for (const next of [1, 2, 3, 4]) {
        const { status, message, replaced } = await runs.run(versioned(20 * next, next), block);
        expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining('Check documents: passed.')]);
        expect(replaced === undefined).toBe(next === 1);
        version = next;
        expect([await runs.count(`version:${version}`), await runs.count()]).toEqual([20 * version, 20 * version]);
      }
      reading.abort();
      await read;
      // Readers of the alias have seen complete indices only.
      expect([...seen].filter((one) => ![0, 1, 2, 3, 4].includes(one as number))).toEqual([]);
      const states = await runs.states();
      expect(states.map(([, state]) => state)).toEqual(['complete', 'complete', 'complete', undefined]);
      const names = states.map(([name]) => name);
      expect(await runs.targets()).toEqual([names[2]]);
      const live = (await runs.indices())[names[2] as string];
      expect(live?.settings.index).toMatchObject({ number_of_replicas: '1', refresh_interval: '7s' });
      expect(live?.settings.index).not.toHaveProperty('auto_expand_replicas');
      expect(live?.mappings).toMatchObject({ properties: { title: { type: 'text' } }, _meta: { owner: 'shop' } });
      expect(live).toMatchObject({ aliases: { [runs.alias]: {} } });

      expect(await runs.rollback(block)).toBe(
        `The alias ${runs.alias} points to ${names[1]} again, which replaces ${names[2]}`,
      );
      expect(await runs.count('version:3')).toBe(60);
      await runs.rollback(block);
      expect([await runs.count('version:2'), await runs.targets()]).toEqual([40, [names[0]]]);
      await expect(runs.rollback(block)).rejects.toThrow(`There is no index older than ${names[0]}`);
      await runs.run(versioned(5, 5), block);
      expect((await runs.states()).map(([, state]) => state)).toEqual(['complete', 'complete', undefined]);
      await runs.rollback(block);
      expect(await runs.count('version:2')).toBe(40);
    });

    it('leaves the alias alone if a check fails, reports each check, and removes the index in the next run', async ({
      runs,
    }) => {
      const first = 'create.mappings.properties.title.type: text, rebuild {}';
      expect((await runs.run(versioned(20, 1), first)).status).toBe('SUCCEEDED');
      const [live] = await runs.targets();
      const bad = `create.mappings.properties { title.type: text, count.type: integer }
        rebuild.checks {
          documents { min: 5, max: 12, maxFewerPercent: 10, maxMorePercent: 10 }
          maxFailed: 0
          required { title: 100, missing: 50 }
          queries: [
            { name: seven, query { match { title: "7" } }, expected: [d7], minMrr: 1, minNdcg: 1 }
            { query { match { title: "nothing" } }, expected: [d1], minNdcg: 0.5 }
          ]
        }`;
      const documents = [...versioned(10, 2), { id: 'bad', count: 'no number' }];
      const { status, checks, problems, message } = await runs.run(documents, bad);
      expect(status).toBe('FAILED');
      const shown = checks?.map(
        (check) => `${check.outcome}: ${check.name}: ${check.found}, expected ${check.expected}`,
      );
      expect(shown).toEqual([
        'passed: documents: 10 in the new index, expected at least 5',
        'passed: documents: 10 in the new index, expected at most 12',
        'failed: documents: 10 in the new index, expected at most 10 % fewer than the 20 in the live index',
        'passed: documents: 10 in the new index, expected at most 10 % more than the 20 in the live index',
        'failed: maxFailed: 1 failed, expected at most 0',
        'passed: required title: 100 % of the documents have it, expected at least 100 %',
        'failed: required missing: 0 % of the documents have it, expected at least 50 %',
        'passed: query seven: nDCG@10 is 1 (hits: d7), expected at least 1',
        'passed: query seven: MRR is 1 (hits: d7), expected at least 1',
        'failed: query 2: nDCG@10 is 0 (hits: none; expected but not among them: d1), expected at least 0.5',
      ]);
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect(errors.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'HR_RUN_CHECK_FAILED'));
      expect(message).toContain('Check required missing: FAILED. 0 % of the documents');
      expect([await runs.targets(), await runs.count('version:1')]).toEqual([[live], 20]);
      expect((await runs.states()).map(([, state]) => state)).toEqual(['complete', 'failed']);
      expect((await runs.run(versioned(20, 3), first)).status).toBe('SUCCEEDED');
      expect((await runs.states()).map(([, state]) => state)).toEqual(['complete', 'complete']);
      expect(await runs.count('version:3')).toBe(20);
    });

    it('counts documents by required fields in nested objects, aliases and unindexed fields', async ({ runs }) => {
      const isOpenSearch = type === 'OpenSearch';
      // Each engine has types that the other one lacks.
      const flat = isOpenSearch ? 'flat_object' : 'flattened';
      const own = isOpenSearch ? { relation: 'product' } : { vector: [1, 2], day: 'monday' };
      const block = `
        create.mappings {
          dynamic: strict
          properties {
            id { type: keyword }, run_id { type: keyword }
            title { type: text, fields { raw { type: keyword } } }, heading { type: alias, path: title.raw }
            seller.properties { name { type: keyword }, offers { type: nested, properties { price { type: float } } } }
            variants { type: nested, include_in_parent: true, properties {
              color { type: keyword }, colour { type: alias, path: variants.color }
              images { type: nested, properties { url { type: keyword, index: false } } }
            } }
            labels { type: ${flat} }
            off { type: object, enabled: false }
            secret { type: keyword, index: false, doc_values: false }
            picture { type: binary }
            loose { type: object, dynamic: false }
            ${isOpenSearch ? 'relation { type: join, relations { product: review } }' : 'vector { type: dense_vector, dims: 2 }'}
          }
          ${isOpenSearch ? '' : 'runtime { day { type: keyword } }'}
        }
        rebuild.checks.required {
          title: 100, "title.raw": 100, heading: 100, "seller.name": 100, "seller.offers.price": 100, seller: 100
          variants: 100, "variants.color": 100, "variants.colour": 100, "variants.images": 100
          "variants.images.url": 100, "variants.missing": 100, "labels.a": 100
          off: 100, "off.a": 100, secret: 100, picture: 100, "loose.a": 100
          ${isOpenSearch ? 'relation: 100' : 'vector: 100, day: 100'}
        }`;
      const document = (id: string) => ({
        id,
        title: 'Shoe',
        seller: { name: 'a', offers: [{ price: 1 }, {}] },
        // At least one of the objects has the field.
        variants: [{}, { color: 'red', images: [{}, { url: 'u' }] }],
        labels: { a: 'x' },
        off: { a: 1 },
        secret: 's',
        picture: 'eA==',
        loose: { a: 1 },
        ...own,
      });
      const { checks, problems } = await runs.run(
        [document('1'), document('2'), document('3'), { id: '4', ...own }],
        block,
      );
      const found = Object.fromEntries(
        (checks ?? [])
          .filter(({ name }) => name.startsWith('required '))
          .map((check) => [
            check.name.slice('required '.length),
            `${check.outcome} ${check.found.replace(/ of the documents have it$/, '').replace(/, .*|: the .*$/, '')}`,
          ]),
      );
      expect(problems.filter(({ code }) => code !== 'HR_RUN_CHECK_FAILED')).toEqual([]);
      const most = 'failed 75 %';
      const unsearchable = 'has neither an index nor doc values';
      expect(found).toEqual({
        title: most,
        'title.raw': most,
        heading: most,
        'seller.name': most,
        'seller.offers.price': most,
        seller: most,
        variants: most,
        'variants.color': most,
        'variants.colour': most,
        'variants.images': most,
        'variants.images.url': most,
        'variants.missing': 'failed 0 %',
        'labels.a': most,
        off: 'failed cannot be checked: off has enabled: false',
        'off.a': 'failed cannot be checked: off has enabled: false',
        secret: `failed cannot be checked: secret (keyword) ${unsearchable}`,
        picture: `failed cannot be checked: picture (binary) ${unsearchable}`,
        'loose.a': 'failed cannot be checked: loose.a is not in the mapping',
        ...Object.fromEntries(Object.keys(own).map((field) => [field, 'passed 100 %'])),
      });
    });

    it('leaves the alias alone if there are no documents, the run fails or the run is cancelled', async ({ runs }) => {
      expect((await runs.run(versioned(5, 1), 'rebuild {}')).status).toBe('SUCCEEDED');
      const targets = await runs.targets();
      const empty = await runs.run([], 'rebuild {}');
      expect(empty.message).toContain('0 in the new index, expected at least 1');
      const strict = 'create.mappings.properties.version.type: integer, rebuild {}';
      const failed = await runs.run([...versioned(5, 2), { id: 'x', version: 'no' }], strict, 'runner.maxFailures: 0');
      const cutOff = runs.config(versioned(20, 4), 'rebuild {}');
      const path = /jsonPath: "(.*?)"/.exec(cutOff)?.[1] as string;
      truncateSync(path, statSync(path).size - 5);
      const incomplete = await runs.start(cutOff).done;
      expect(incomplete).toMatchObject({ status: 'FAILED', problems: [{ code: 'HR_SOURCE_INCOMPLETE' }] });
      const handle = runs.start(runs.config(versioned(8000, 3), 'rebuild {}'));
      while (handle.progress().counts.succeeded < 100) await sleep(5);
      handle.stop('CANCELLED');
      const results = [empty.status, failed.status, (await handle.done).status];
      expect(results).toEqual(['FAILED', 'FAILED', 'CANCELLED']);
      expect([await runs.targets(), await runs.count('version:1')]).toEqual([targets, 5]);
      // Each run has removed the index of the previous one.
      expect((await runs.states()).map(([, state]) => state)).toEqual(['complete', 'failed']);
    });

    it('refuses a second rebuild of the alias at the same time', async ({ runs }) => {
      const settings = 'create.settings { number_of_replicas: 1, refresh_interval: "7s" }, rebuild {}';
      const first = runs.start(runs.config(versioned(8000, 1), settings));
      while (first.progress().counts.succeeded < 100) await sleep(5);
      const [building] = Object.values(await runs.indices());
      expect(building?.settings.index).toMatchObject({ number_of_replicas: '0', refresh_interval: '-1' });
      const second = await runs.run(versioned(5, 2), 'rebuild {}');
      expect(second.message).toContain(`Another rebuild of ${runs.alias} is running: run ${first.runId}`);
      expect([(await first.done).status, await runs.count('version:1')]).toEqual(['SUCCEEDED', 8000]);
      expect((await runs.states()).length).toBe(1);
    });

    it('lets at most one of two rebuilds that start together finish', async ({ runs }) => {
      const results = await Promise.all([1, 2].map((version) => runs.run(versioned(200, version), 'rebuild {}')));
      expect(results.map(({ status }) => status).toSorted()).toEqual(['FAILED', 'SUCCEEDED']);
      expect([await runs.count(), (await runs.targets()).length]).toEqual([200, 1]);
    });

    it('ends immediately, without an index of guessed types, if its index is deleted during the run', async ({
      runs,
    }) => {
      const handle = runs.start(runs.config(versioned(80_000, 1), 'rebuild {}'));
      while (handle.progress().counts.succeeded < 100) await sleep(5);
      const [name = ''] = Object.keys(await runs.indices());
      await runs.ask('DELETE', `/${name}`);
      const { status, message } = await handle.done;
      expect([status, message]).toEqual([
        'FAILED',
        expect.stringContaining(`error: The index ${name} was deleted during the run`),
      ]);
      expect(await runs.indices()).toEqual({});
    });

    it('refuses an alias that is the name of an index, also in a check before the run', async ({ runs }) => {
      await runs.ask('PUT', `/${runs.alias}`);
      const text = `${runs.alias} is an index`;
      expect((await runs.run(versioned(5, 1), 'rebuild {}')).message).toContain(text);
      expect((await runs.checkAccess(runs.config([], 'rebuild {}'))).map(({ message }) => message)).toEqual([
        expect.stringContaining(text),
      ]);
    });

    it('removes only its own indices, and rolls back in the order of the runs if a clock was set back', async ({
      runs,
    }) => {
      const [base, run] = [runs.alias, 'rebuild { keep: 0 }'];
      const made = async (name: string, headrace: object) =>
        runs.ask('PUT', `/${name}`, { mappings: { _meta: { headrace } } });
      expect((await runs.run(versioned(5, 1), run)).status).toBe('SUCCEEDED');
      const [[first = '', mark = {}] = []] = Object.entries(await runs.indices()).map(
        ([name, { mappings }]) => [name, mappings._meta?.headrace] as const,
      );
      // A copy has the mark of its source, as after _clone, _reindex or from a snapshot.
      await made(`${base}-backup`, { ...mark, state: 'failed' });
      await made(`${base}-20200101-000000000`, { ...mark, state: 'failed' });
      await made(`${base}-20200102-000000000`, { alias: base, token: 'x', created: '2020-01-02T00:00:00.000Z' });
      const foreign = [`${base}-20200101-000000000`, `${base}-20200102-000000000`, `${base}-backup`];
      expect((await runs.run(versioned(6, 2), run)).status).toBe('SUCCEEDED');
      const [second = ''] = await runs.targets();
      expect(Object.keys(await runs.indices()).toSorted()).toEqual([...foreign, second].toSorted());
      expect(first).not.toBe(second);
      // The clock was ahead when the live index was created.
      const ahead = `${base}-20990101-000000000`;
      await made(ahead, { ...mark, created: '2099-01-01T00:00:00.000Z', state: 'complete', sequence: 7 });
      const actions = [{ remove: { index: second, alias: base } }, { add: { index: ahead, alias: base } }];
      await runs.ask('POST', '/_aliases', { actions });
      expect((await runs.run(versioned(7, 3), 'rebuild { keep: 1 }')).status).toBe('SUCCEEDED');
      expect(await runs.rollback('rebuild {}')).toContain(`points to ${ahead} again`);
    });

    it('leaves the alias alone if the index in use is read-only, and refuses a rollback during a rebuild', async ({
      runs,
    }) => {
      expect((await runs.run(versioned(5, 1), 'rebuild {}')).status).toBe('SUCCEEDED');
      const [live = ''] = await runs.targets();
      const block = (value: true | null) => runs.ask('PUT', `/${live}/_settings`, { 'index.blocks.read_only': value });
      await block(true);
      const blocked = await runs.run(versioned(6, 2), 'rebuild {}');
      expect([blocked.status, blocked.message]).toEqual(['FAILED', expect.stringContaining('read-only')]);
      expect([await runs.targets(), await runs.count('version:1')]).toEqual([[live], 5]);
      await block(null);
      // The second connector lets the run wait until it is cancelled.
      const hold = 'connectors += { class: SleepConnector, name: hold, duration: 600000 }';
      const handle = runs.start(runs.config(versioned(200, 3), 'rebuild {}', hold));
      while (handle.progress().counts.succeeded < 100) await sleep(5);
      await expect(runs.rollback('rebuild {}')).rejects.toThrow(`A rebuild of ${runs.alias} is running`);
      handle.stop('CANCELLED');
      await handle.done;
      expect([await runs.targets(), await runs.count('version:1')]).toEqual([[live], 5]);
    });

    it('points the alias at a complete index after each kill, and the next run removes what was left', {
      timeout: 120_000,
    }, async ({ runs }) => {
      const { moved, unmoved } = await killRebuilds(runs, 3, 1000);
      expect(moved + unmoved).toBe(3);
    });
  });

  describe('the block sync', () => {
    const ids = (from: number, to: number) => versioned(to, 1).slice(from);

    it('deletes what a complete run did not write, within the limit and only of its source', async ({ runs }) => {
      const block = 'sync { deleteMissing: true, where { prefix { id: d } } }';
      await runs.ask('PUT', `/${runs.alias}/_doc/other?refresh=true`, { id: 'other', run_id: 'x' });
      expect((await runs.run(ids(0, 100), block)).status).toBe('SUCCEEDED');
      const { status, message } = await runs.run(ids(15, 100), block);
      expect([status, message]).toEqual([
        'SUCCEEDED',
        expect.stringContaining(
          'Check deleteMissing: passed. the source no longer had 15 documents of 100 (15 %): 15 deleted, expected at most 20 % to delete',
        ),
      ]);
      expect(await runs.ids()).toEqual([...ids(15, 100).map(({ id }) => id), 'other'].toSorted());
      const tooMany = await runs.run(ids(50, 100), block);
      expect([tooMany.status, tooMany.problems.map(({ code }) => code)]).toEqual(['FAILED', ['HR_RUN_CHECK_FAILED']]);
      expect(tooMany.checks?.[0]).toMatchObject({
        found: 'the source no longer has 35 documents of 85 (41.18 %): nothing was deleted',
        expected: 'at most 20 % to delete',
      });
      expect(await runs.count()).toBe(86);
    });

    it('deletes nothing after a run in which a document failed, or that was cancelled', async ({ runs }) => {
      const block =
        'create.mappings.properties.version.type: integer, sync { deleteMissing: true, maxDeletePercent: 100 }';
      expect((await runs.run(ids(0, 20), block)).status).toBe('SUCCEEDED');
      const partial = await runs.run([...ids(5, 20), { id: 'd0', version: 'no number' }], block);
      expect(partial.checks?.map(({ outcome, found }) => [outcome, found])).toEqual([
        ['not run', 'nothing was deleted, because 1 document failed'],
      ]);
      const handle = runs.start(runs.config(versioned(8000, 3).slice(10), block));
      while (handle.progress().counts.succeeded < 100) await sleep(5);
      handle.stop('CANCELLED');
      expect((await handle.done).status).toBe('CANCELLED');
      expect(await runs.ids()).toEqual(expect.arrayContaining(ids(0, 20).map(({ id }) => id)));
    });
  });

  describe('the block create', () => {
    it('creates what is missing, changes nothing that exists, and reports each difference with its position', async ({
      runs,
    }) => {
      const { alias, folder } = runs;
      const pipelineFile = join(folder, 'pipeline.json');
      const templateFile = join(folder, 'template.json');
      const pipeline = (value: string) =>
        writeFileSync(pipelineFile, JSON.stringify({ description: value, processors: [] }));
      pipeline('one');
      writeFileSync(
        templateFile,
        JSON.stringify({ index_patterns: [`${alias}*`], template: { settings: { refresh_interval: '9s' } } }),
      );
      const block = (properties: string, more = '') => `create {
        pipelines { "${alias}": "${pipelineFile}" }, templates { "${alias}": "${templateFile}" }
        settings { index { number_of_shards: 2, default_pipeline: "${alias}" }, ${more} }
        mappings { dynamic: strict, properties { id.type: keyword, run_id.type: keyword, by.type: keyword, ${properties} } } }`;
      const same =
        'title { type: text, index: true, fields.raw { type: keyword, ignore_above: 20 } }, version.type: integer';
      try {
        expect(await runs.checkAccess(runs.config([], block(same)))).toEqual([]);
        expect((await runs.run(versioned(5, 1), block(same))).status).toBe('SUCCEEDED');
        expect(await runs.ask('GET', `/_ingest/pipeline/${alias}`)).toMatchObject({
          [alias]: { description: 'one' },
        });
        expect((await runs.indices())[alias]?.settings.index).toMatchObject({
          number_of_shards: '2',
          refresh_interval: '9s',
        });
        expect(await runs.checkAccess(runs.config([], block(same)))).toEqual([]);
        const before = await runs.indices();
        pipeline('two');
        const other = block(
          'title { type: keyword }, version.type: integer\n, size.type: long',
          'number_of_replicas: 3',
        );
        const problems = await runs.checkAccess(runs.config([], other));
        const reported = problems.map(({ severity, path, line, message }) => [
          severity,
          path.replace(/.*create\./, ''),
          line !== undefined,
          message,
        ]);
        expect(reported).toHaveLength(4);
        expect(reported).toEqual(
          expect.arrayContaining([
            [
              'warning',
              expect.stringContaining('pipelines'),
              true,
              expect.stringMatching(/description is "one", but the config says "two"/),
            ],
            [
              'warning',
              'settings.number_of_replicas',
              true,
              `settings.number_of_replicas is "1" in the index ${alias}, but the config says 3`,
            ],
            [
              'warning',
              'mappings.properties.title.type',
              true,
              `mappings.properties.title.type is "text" in the index ${alias}, but the config says "keyword"`,
            ],
            [
              'warning',
              'mappings.properties.size',
              true,
              `mappings.properties.size is missing in the index ${alias}, but the config says {"type":"long"}`,
            ],
          ]),
        );
        expect((await runs.run(versioned(5, 2), other)).status).toBe('SUCCEEDED');
        expect(await runs.indices()).toEqual(before);
        const added = block(`${same}, size.type: long`, 'number_of_replicas: 0').replace(
          'create {',
          'create { update: true,',
        );
        expect((await runs.run(versioned(5, 3), added)).status).toBe('SUCCEEDED');
        expect(await runs.checkAccess(runs.config([], added))).toEqual([]);
      } finally {
        for (const path of [`/_index_template/${alias}`, `/${alias}`, `/_ingest/pipeline/${alias}`]) {
          await fetch(url() + path, { method: 'DELETE' });
        }
      }
    });
  });
}
