import { describe, expect, it } from 'vitest';
import type { NoticeRule, NoticeRules } from '../config/notice-rules.ts';
import type { Notice } from '../notices/notice.ts';
import { exceededNotices, markIgnored } from './notice-limits.ts';

const notice = (code: string, itsClass: Notice['class'], count: number, component = 'c'): Notice => ({
  code,
  class: itsClass,
  component,
  count,
  examples: [{ file: 'a.csv', line: count }],
});
const rules = (all: Record<string, NoticeRule>): NoticeRules => new Map(Object.entries(all));
const limit = (max?: number, maxPercent?: number): NoticeRule => ({
  kind: 'limit',
  ...(max === undefined ? {} : { max }),
  ...(maxPercent === undefined ? {} : { maxPercent }),
});

describe('the limits of notices', () => {
  const found = [
    notice('a.lost', 'loss', 2),
    notice('b.changed', 'changed', 3),
    notice('b.changed', 'changed', 4, 'd'),
  ];
  const exceeded = (all: Record<string, NoticeRule>, documents = 1000) =>
    exceededNotices(rules(all), found, documents)?.message;

  it('are not exceeded without rules, and by notices that are only reported', () => {
    expect(exceeded({})).toBeUndefined();
    expect(exceeded({ loss: { kind: 'warn' }, changed: { kind: 'ignore' } })).toBeUndefined();
  });

  it('count a code over all components', () => {
    expect(exceeded({ 'b.changed': limit(7) })).toBeUndefined();
    expect(exceeded({ 'b.changed': limit(6) })).toBe(
      '7 cases of the notice b.changed, and at most 6 are allowed (runner.notices). First: a.csv:3',
    );
  });

  it('compare percentages with the number of documents', () => {
    expect(exceeded({ 'b.changed': limit(undefined, 0.7) })).toBeUndefined();
    expect(exceeded({ 'b.changed': limit(undefined, 0.7) }, 999)).toBe(
      '7 cases of the notice b.changed, and at most 0.7% of 999 documents are allowed (runner.notices). First: a.csv:3',
    );
    expect(exceeded({ 'b.changed': limit(100, 0.1) })).toContain('at most 0.1% of 1000 documents');
    expect(exceeded({ 'b.changed': limit(undefined, 50) }, 0)).toContain('at most 50% of 0 documents');
  });

  it('of a class are for all its codes without a separate rule', () => {
    expect(exceeded({ loss: limit(0) })).toBe(
      '2 cases of the notice a.lost, and at most 0 are allowed (runner.notices). First: a.csv:2',
    );
    expect(exceeded({ loss: limit(0), 'a.lost': { kind: 'warn' } })).toBeUndefined();
    const two = [notice('a.lost', 'loss', 2), notice('b.lost', 'loss', 3)];
    expect(exceededNotices(rules({ loss: limit(4) }), two, 10)?.message).toBe(
      '5 cases of the notices a.lost, b.lost, and at most 4 are allowed (runner.notices). First: a.csv:2',
    );
  });

  it('have the code HR_RUN_NOTICES', () => {
    expect(exceededNotices(rules({ loss: limit(0) }), found, 10)).toMatchObject({ code: 'HR_RUN_NOTICES' });
  });

  it('are not for ignored notices, which are marked', () => {
    const ignored = (all: Record<string, NoticeRule>) => markIgnored(rules(all), found).map((one) => one.ignored);
    expect(ignored({ changed: { kind: 'ignore' } })).toEqual([undefined, true, true]);
    expect(ignored({ changed: { kind: 'ignore' }, 'b.changed': { kind: 'warn' } })).not.toContain(true);
  });
});
