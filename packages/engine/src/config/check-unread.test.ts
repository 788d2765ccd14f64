import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfig } from './check-config.ts';
import { openFixtureRegistry } from './fixture-components.test.lib.ts';
import { type ReadConfig, readConfigFile, readConfigText } from './read-config.ts';

/** Tests of the warnings about values that the service ignores or changes. */

const registry = await openFixtureRegistry();
const CONFIG = `connectors: [{class: Numbers, name: c, pipeline: p, count: 1}]
pipelines: [{name: p, stages: [{class: Mark, field: f}]}]
indexer {type: nothing}`;

async function warningsOf({ root, problems }: ReadConfig): Promise<string[]> {
  expect(problems).toEqual([]);
  const checked = await checkConfig(root as never, registry);
  expect(checked.problems.filter(({ severity }) => severity !== 'warning')).toEqual([]);
  return checked.problems.map(
    ({ path, line, column, message, hint }) => `${path} ${line}:${column} ${message} | ${hint}`,
  );
}

const warned = (more: string) => warningsOf(readConfigText(`${CONFIG}\n${more}`));

describe('a top-level key', () => {
  it('is reported with a suggestion if nothing reads it', async () => {
    expect(await warned('wroker { threads: 2 }, colour: red, "a.b": 1')).toEqual([
      'wroker 4:1 Nothing reads wroker: it has no effect | Did you mean worker?',
      'colour 4:24 Nothing reads colour: it has no effect | Remove it, or use it in a substitution (${colour}).',
      '"a.b" 4:37 Nothing reads a.b: it has no effect | Remove it, or use it in a substitution (${a.b}).',
    ]);
  });

  it('is not reported if a substitution names it, even if it is similar to a known key', async () => {
    expect(
      await warned('logs: 1, runners { x: 1 }, other: ${logs} ${?runners.x}, last: ${?other}, x: ${?last}${?x}'),
    ).toEqual([]);
  });

  it('is not reported if a storage or an editor reads it', async () => {
    expect(await warned('s3 {}, javax.net.ssl.trustStore: x, "$schema": "config.json"')).toEqual([]);
  });

  it('is reported if another indexer reads it, unless something outside the config selects the indexer', async () => {
    expect(await warned('sink { path: x }')).toEqual([
      'sink 4:1 The indexer is Nothing, which does not read sink: it has no effect | Remove it.',
    ]);
    // The config gives the type twice, which causes another warning.
    expect((await warned('sink { path: x, columns: [a] }, indexer.type: sink')).join()).not.toContain('sink 4:1');
    expect(await warned('sink { path: x }, other: ${sink}')).toEqual([
      expect.stringMatching(/^other 4:19 Nothing reads/),
    ]);
    const chosen = `${CONFIG}\nsink { path: x, columns: [a] }\nindexer.type: \${?TYPE}`;
    expect(await warningsOf(readConfigText(chosen, { env: { TYPE: 'nothing' } }))).toEqual([]);
    expect(await warningsOf(readConfigText(chosen, { overrides: { 'indexer.type': 'nothing' } }))).toEqual([]);
  });

  it('is reported in a JSON config, which has no substitutions', async () => {
    const json = JSON.stringify({
      connectors: [{ class: 'Numbers', name: 'c', pipeline: 'p', count: 1 }],
      pipelines: [{ name: 'p', stages: [] }],
      indexer: { type: 'nothing' },
      note: '${connectors}',
    });
    expect(await warningsOf(readConfigText(json, { format: 'json' }))).toEqual([
      expect.stringMatching(/^note 1:\d+ Nothing reads note/),
    ]);
  });

  it('is not reported if an included file sets it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-unread-'));
    try {
      writeFileSync(join(folder, 'shared.conf'), 'ours: 1, theirs: 2');
      writeFileSync(join(folder, 'main.conf'), `include "shared.conf"\n${CONFIG}\nmine: 1`);
      expect(await warningsOf(readConfigFile(join(folder, 'main.conf')))).toEqual([
        expect.stringMatching(/^mine 5:1 Nothing reads mine/),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a value of a setting', () => {
  it('out of range is replaced by the nearest useful value, with a warning', async () => {
    expect(await warned('log.seconds: 0, runner.connectorTimeout: 99999999999')).toEqual([
      'log.seconds 4:14 seconds is 0, which is too small: 1 is used | Write 1, or remove the key.',
      'runner.connectorTimeout 4:42 connectorTimeout is 99999999999, which is too large: 2147483647 is used | Write 2147483647, or remove the key.',
    ]);
    const { root } = readConfigText(`${CONFIG}\nlog.seconds: -5`);
    expect((await checkConfig(root as never, registry)).config?.log.seconds).toBe(1);
  });

  it('is rounded down to an integer, with a warning, if it must be an integer', async () => {
    expect(await warned('worker.threads: 2.5, log.seconds: 2.0, runner.connectorTimeout: "3e0"')).toEqual([
      'worker.threads 4:17 threads is 2.5, but must be an integer: 2 is used | Write 2.',
    ]);
  });

  it('is reported if another value makes it useless', async () => {
    const retries = 'maxRetries: 2, retryWaitDurationMs: 500, retryMaxWaitDurationMs: 100';
    expect(await warned(`indexer { ${retries}, whitelist: [a, b], blacklist: [b] }`)).toEqual([
      'indexer.retryWaitDurationMs 4:47 indexer.retryWaitDurationMs is greater than indexer.retryMaxWaitDurationMs, which is 100 and limits it | Raise retryMaxWaitDurationMs.',
      'indexer.whitelist 4:92 indexer.whitelist has no effect for b, because indexer.blacklist contains the same fields | Remove the fields from one of the two lists.',
    ]);
  });

  it('that must be an HTTP status is an error if it is not one', async () => {
    const { root } = readConfigText(`${CONFIG}\nindexer { maxRetries: 1, retryableStatusCodes: [429, -1, 42] }`);
    const { problems } = await checkConfig(root as never, registry);
    expect(problems).toMatchObject([
      { severity: 'error', path: 'indexer.retryableStatusCodes', message: expect.stringContaining('[2] is 42') },
    ]);
  });
});

describe('a condition', () => {
  const withStage = (more: string) => warningsOf(readConfigText(CONFIG.replace('field: f', `field: f, ${more}`)));

  it('is reported if it has no fields or no values', async () => {
    expect(
      await withStage(
        'conditions: [{fields: []}, {fields: [a], values: []}, {fields: [a], values: [], operator: must_not}]',
      ),
    ).toEqual([
      'pipelines[0].stages[0].conditions[0].fields 2:78 The condition has no fields, so it is always true | Fill the list, or remove the condition.',
      'pipelines[0].stages[0].conditions[1].values 2:105 The condition has no values, so it is never true | Fill the list, or remove the condition.',
      'pipelines[0].stages[0].conditions[2].values 2:132 The condition has no values, so it is always true | Fill the list, or remove the condition.',
    ]);
  });

  it('is reported if it is absent but has a policy', async () => {
    expect(await withStage('conditionPolicy: any')).toEqual([
      'pipelines[0].stages[0].conditionPolicy 2:73 conditionPolicy has no effect without conditions | Remove it, or add conditions.',
    ]);
  });
});
