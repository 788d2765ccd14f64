import { describe, expect, it } from 'vitest';
import { configOf, connectors, indexer, pipelines, problemsOf } from './checked-config.test.lib.ts';

const withNotices = (text: string) => `${connectors}\n${pipelines}\n${indexer}\nrunner.notices ${text}`;

describe('runner.notices', () => {
  it('has a rule for classes and codes, with or without quotes', async () => {
    const text = `{
      loss: fail, suspect: ignore
      bytes.invalid: { max: 10 }, "csv.textAfterQuote": { maxPercent: "0.5", max: 3 }, custom.short: warn
    }`;
    const { noticeRules } = await configOf(withNotices(text));
    expect(Object.fromEntries(noticeRules)).toEqual({
      loss: { kind: 'limit', max: 0 },
      suspect: { kind: 'ignore' },
      'bytes.invalid': { kind: 'limit', max: 10 },
      'csv.textAfterQuote': { kind: 'limit', max: 3, maxPercent: 0.5 },
      'custom.short': { kind: 'warn' },
    });
    expect((await configOf(`${connectors}\n${pipelines}\n${indexer}`)).noticeRules.size).toBe(0);
  });

  it('reports unknown codes with the nearest one, and values that are no rule', async () => {
    expect(await problemsOf(withNotices('{ bytes.invalit: fail }'))).toEqual([
      'runner.notices.bytes.invalit 4:33 <runner> There is no notice bytes.invalit | Did you mean bytes.invalid?',
    ]);
    expect(await problemsOf(withNotices('{ "los": fail }'))).toEqual([
      'runner.notices.los 4:25 <runner> There is no notice los | Did you mean loss?',
    ]);
    expect(await problemsOf(withNotices('{ nothing.like.it: 5 }'))).toEqual([
      'runner.notices.nothing.like.it 4:35 <runner> There is no notice nothing.like.it | Use loss, changed, suspect, a code of the docs (notices.md), or custom.NAME.',
    ]);
    const hint = ' | Write fail, warn, ignore, { max: 10 } or { maxPercent: 0.1 }.';
    for (const value of [
      'fails',
      '{}',
      '[fail]',
      '{ max: -1 }',
      '{ max: 0.5 }',
      '{ maxPercent: 101 }',
      '{ max: 1, most: 2 }',
    ]) {
      expect(await problemsOf(withNotices(`{ loss: ${value} }`))).toEqual([
        `runner.notices.loss 4:24 <runner> loss has no valid rule${hint}`,
      ]);
    }
    expect(await problemsOf(withNotices(': fail'))).toHaveLength(1);
  });
});
