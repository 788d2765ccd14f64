import { assertStageContract, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { FormatDate } from './format-date.ts';

const day = { source: ['a'], dest: ['b'], formatStr: 'yyyy/MM/dd' };

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(FormatDate, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

/** Returns the formatted text of one value. */
async function formatted(value: unknown, params: Record<string, unknown> = {}) {
  const [text] = await run({ ...day, ...params }, { id: '1', a: value });
  return JSON.parse(text as string).b;
}

describe('FormatDate', () => {
  it.each([
    ['2024-05-06T23:30:00Z', '2024/05/07 01:30:00.000 +02:00'],
    ['2024-01-06T23:30:00.123456789Z', '2024/01/07 00:30:00.123 +01:00'],
    ['2024-05-06T23:30:00-05:00', '2024/05/07 06:30:00.000 +02:00'],
    ['2024-05-06 23:30:00+0530', '2024/05/06 20:00:00.000 +02:00'],
    ['2024-05-06 23:30', '2024/05/06 23:30:00.000 +02:00'],
    ['2024-05-06', '2024/05/06 00:00:00.000 +02:00'],
    [1700000000123, '2023/11/14 23:13:20.123 +01:00'],
    [-1, '1970/01/01 00:59:59.999 +01:00'],
  ])('writes %s in the configured zone', async (value, text) => {
    const params = { formatStr: 'yyyy/MM/dd HH:mm:ss.SSS XXX', timeZoneId: 'Europe/Paris' };
    expect(await formatted(value, params)).toBe(text);
  });

  it.each([
    ['yesterday'],
    ['2024-02-30'],
    ['2024-01-01T25:00:00Z'],
    ['1700000000123'],
    [''],
    [true],
    [null],
    [{ x: 1 }],
    [2 ** 62],
  ])('omits %j, which is not a date', async (value) => {
    expect(await run(day, { id: '1', a: value, b: 'old' })).toEqual([JSON.stringify({ id: '1', a: value, b: 'old' })]);
  });

  it('reads numbers as seconds if epochUnit is seconds', async () => {
    expect(await formatted(1700000000, { epochUnit: 'seconds', formatStr: 'uuuu-MM-dd HH:mm:ss' })).toBe(
      '2023-11-14 22:13:20',
    );
    expect(await formatted(1700000000.5, { epochUnit: 'seconds', formatStr: 'ss.SSS' })).toBe('20.500');
  });

  it('writes names in the language of the locale', async () => {
    const params = { formatStr: 'EEEE, d MMMM yyyy', locale: 'fr-FR' };
    expect(await formatted('2024-08-15', params)).toBe('jeudi, 15 août 2024');
    expect(await formatted('2024-08-15', { ...params, locale: 'en-US' })).toBe('Thursday, 15 August 2024');
  });

  it('preserves the order of a list and can write to its source', async () => {
    const params = { ...day, dest: ['a'] };
    expect(
      await run(
        params,
        { id: '1', a: ['2024-01-02', 'bad', '2023-01-02'] },
        { id: '2', a: 'bad' },
        { id: '3', a: '2024-01-02' },
      ),
    ).toEqual(['{"id":"1","a":["2024/01/02","2023/01/02"]}', '{"id":"2"}', '{"id":"3","a":"2024/01/02"}']);
  });

  it('appends to a destination or keeps it, by updateMode', async () => {
    const document = { id: '1', a: '2024-01-02', b: 'old' };
    expect(await run({ ...day, updateMode: 'append' }, document)).toEqual([
      '{"id":"1","a":"2024-01-02","b":["old","2024/01/02"]}',
    ]);
    expect(await run({ ...day, updateMode: 'skip' }, document)).toEqual([JSON.stringify(document)]);
  });

  it('reports values that are not dates', async () => {
    const documents = [
      { id: '1', a: ['2024-01-02', 'bad', null, ' '] },
      { id: '2', a: true },
      { id: '3', a: '2024-01-02' },
    ];
    const inPlace = stageContext();
    await runStage(FormatDate, { ...day, dest: ['a'] }, documents, inPlace);
    expect(inPlace.collector.list()).toMatchObject([
      {
        code: 'date.omitted',
        class: 'loss',
        count: 2,
        examples: [
          { document: '1', field: 'a', value: 'bad' },
          { document: '2', field: 'a', value: 'true' },
        ],
      },
    ]);
    const elsewhere = stageContext();
    await runStage(FormatDate, day, documents, elsewhere);
    expect(elsewhere.collector.list()).toMatchObject([{ code: 'date.unparsed', class: 'suspect', count: 2 }]);
  });

  it('fails a document whose date does not fit the pattern', async () => {
    expect(await run({ ...day, formatStr: 'ppd' }, { id: '1', a: '2024-01-02' })).toEqual([
      '{"id":"1","a":"2024-01-02","b":" 2"}',
    ]);
    const [error] = await run({ ...day, formatStr: 'pppuuuu' }, { id: '1', a: '2024-01-02' });
    expect(error).toContain('"2024" is longer than the 3 characters');
  });

  it('refuses an invalid pattern, zone, locale and unit, and reports the position in the pattern', async () => {
    await expect(run({ ...day, formatStr: "yyyy 'T" })).rejects.toThrow(
      /formatStr is not a date pattern: A quoted text is not closed, at position 6/,
    );
    await expect(run({ ...day, formatStr: "'zone' z" })).rejects.toThrow(/use XXX or VV, at position 8/);
    await expect(run({ ...day, timeZoneId: 'PST' })).rejects.toThrow('Unknown time-zone ID: PST');
    await expect(run({ ...day, locale: 'no such' })).rejects.toThrow('locale is not a language tag');
    await expect(run({ ...day, epochUnit: 'days' })).rejects.toThrow('epochUnit');
    await expect(run({ ...day, dest: ['id'] })).rejects.toThrow('dest[0] names id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(FormatDate, { params: day, document: { id: '1', a: ['2024-01-02', '2024-01-03'] } }));
});
