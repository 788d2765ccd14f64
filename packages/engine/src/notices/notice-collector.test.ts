import { describe, expect, it } from 'vitest';
import type { Notices } from './notice.ts';
import { NoticeCollector } from './notice-collector.ts';
import { NOTICES } from './notice-table.ts';

const source = { component: 'files' };

function collector(): { collected: NoticeCollector; notices: Notices } {
  const collected = new NoticeCollector();
  return { collected, notices: collected.of(source) };
}

describe('NoticeCollector', () => {
  it('counts the cases of a code and keeps the first five examples', () => {
    const { collected, notices } = collector();
    for (let line = 1; line <= 7; line++) notices.report('bytes.invalid', { file: 'a.csv', line });
    notices.report('bytes.invalid', { count: 10 });
    expect(collected.list()).toEqual([
      {
        code: 'bytes.invalid',
        class: 'changed',
        meaning: NOTICES['bytes.invalid'].meaning,
        component: 'files',
        count: 17,
        examples: [1, 2, 3, 4, 5].map((line) => ({ file: 'a.csv', line })),
      },
    ]);
  });

  it('separates components and the pipelines of stages', () => {
    const { collected, notices } = collector();
    notices.report('bytes.invalid');
    collected.of({ component: 'stage_1', pipeline: 'p' }).report('bytes.invalid');
    collected.of({ component: 'stage_1', pipeline: 'q' }).report('bytes.invalid');
    expect(collected.list().map(({ component, pipeline, count }) => [component, pipeline, count])).toEqual([
      ['files', undefined, 1],
      ['stage_1', 'p', 1],
      ['stage_1', 'q', 1],
    ]);
  });

  it('shortens values to 100 characters in one line', () => {
    const { collected, notices } = collector();
    notices.report('bytes.invalid', { value: `a\n\u001b[31m${'x'.repeat(200)}` });
    notices.report('bytes.invalid', { value: new Uint8Array(3) });
    notices.report('bytes.invalid', { value: new Map([['a', [1, null]]]) });
    notices.report('bytes.invalid', { value: `${'x'.repeat(99)}\u{1f600}` });
    const values = collected.list()[0]?.examples.map(({ value }) => value);
    expect(values).toEqual([
      `a\\n\\u001b[31m${'x'.repeat(93)}…`,
      '3 bytes',
      '{"a":[1,null]}',
      `${'x'.repeat(99)}\ufffd…`,
    ]);
  });

  it('writes only the values of examples as text', () => {
    const { notices } = collector();
    for (let line = 0; line < 5; line++) notices.report('bytes.invalid', { line });
    const value = {
      get [Symbol.toStringTag](): string {
        throw new Error('the value was written');
      },
    };
    expect(() => notices.report('bytes.invalid', { value })).not.toThrow();
  });

  it('adds the notices of other threads', () => {
    const { collected, notices } = collector();
    notices.report('bytes.invalid', { line: 1 });
    const other = new NoticeCollector();
    for (let line = 2; line < 9; line++) other.of(source).report('bytes.invalid', { line });
    collected.add(other.take());
    expect(other.take()).toEqual([]);
    expect(collected.list()).toMatchObject([{ count: 8, examples: [1, 2, 3, 4, 5].map((line) => ({ line })) }]);
  });

  it('forgets what was reported after a mark', () => {
    const { collected, notices } = collector();
    collected.mark()();
    const undoAll = collected.mark();
    notices.report('bytes.invalid', { line: 1 });
    const undo = collected.mark();
    notices.report('bytes.invalid', { line: 2 });
    notices.report('custom.short', { class: 'loss' });
    undo();
    expect(collected.list()).toMatchObject([{ code: 'bytes.invalid', count: 1, examples: [{ line: 1 }] }]);
    undoAll();
    expect(collected.take()).toEqual([]);
  });

  it('counts custom codes with their class, the most serious class first', () => {
    const { collected, notices } = collector();
    notices.report('custom.b', { class: 'suspect' });
    notices.report('custom.a', { class: 'suspect' });
    notices.report('bytes.invalid');
    notices.report('custom.b', { class: 'loss' });
    expect(collected.list().map((notice) => [notice.class, notice.code])).toEqual([
      ['loss', 'custom.b'],
      ['changed', 'bytes.invalid'],
      ['suspect', 'custom.a'],
      ['suspect', 'custom.b'],
    ]);
  });

  it('counts the custom codes after the first 20 together', () => {
    const { collected, notices } = collector();
    for (let i = 0; i < 1000; i++) notices.report(`custom.n${i}`, { class: 'loss' });
    const list = collected.list();
    expect(list).toHaveLength(21);
    expect(list.find(({ code }) => code === 'custom.other')?.count).toBe(980);
  });

  it('refuses codes that do not exist, custom codes without a class, and counts that are not whole numbers', () => {
    const { collected, notices } = collector();
    const report = notices.report.bind(notices) as (code: string, details?: object) => void;
    expect(() => report('bytes.invalit')).toThrow('files reported the notice "bytes.invalit", which does not exist');
    expect(() => report('custom.')).toThrow('which does not exist');
    expect(() => report('custom.a')).toThrow('files reported the notice custom.a without a class');
    expect(() => report('custom.a', { class: 'lost' })).toThrow('without a class');
    for (const count of [-1, 0.5, Number.NaN]) {
      expect(() => report('bytes.invalid', { count })).toThrow('not a whole number');
    }
    report('bytes.invalid', { count: 0 });
    expect(collected.list()).toEqual([]);
  });
});
