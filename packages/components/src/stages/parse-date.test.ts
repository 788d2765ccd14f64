import { withDefaults } from '@headrace/engine';
import {
  assertStageContract,
  makeStage,
  runPipeline,
  runStage,
  stageContext,
  toDocument,
} from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ParseDate } from './parse-date.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(ParseDate, { timeZoneId: 'UTC', ...params }, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

const day = { source: ['a'], dest: ['b'], formatStrs: ['yyyy-MM-dd'] };

describe('ParseDate', () => {
  it('uses the first matching pattern, then the formatters', async () => {
    const formatStrs = ['MM/dd/yyyy', 'dd/MM/yyyy', 'MM/dd/yyyy'];
    const formatters = [
      { class: 'com.kmwllc.lucille.stage.dateformatters.DatePipeFormatter' },
      { class: 'DateYearOnlyFormatter' },
    ];
    expect(
      await run(
        { ...day, formatStrs, formatters },
        { id: '1', a: '03/04/2024' },
        { id: '2', a: '25/12/2024' },
        { id: '3', a: 'on 2010|12|31!' },
        { id: '4', a: 1998 },
        { id: '5', a: 'none' },
      ),
    ).toEqual([
      '{"id":"1","a":"03/04/2024","b":"2024-03-04T00:00:00Z"}',
      '{"id":"2","a":"25/12/2024","b":"2024-12-25T00:00:00Z"}',
      '{"id":"3","a":"on 2010|12|31!","b":"2010-12-31T00:00:00Z"}',
      '{"id":"4","a":1998,"b":"1998-01-01T00:00:00Z"}',
      '{"id":"5","a":"none"}',
    ]);
  });

  it('reads texts without a zone in the configured zone', async () => {
    expect(await run({ ...day, timeZoneId: 'Europe/Rome' }, { id: '1', a: '2021-02-02' })).toEqual([
      '{"id":"1","a":"2021-02-02","b":"2021-02-01T23:00:00Z"}',
    ]);
  });

  it('reads texts without a zone in the zone of the process by default', async () => {
    const params = { source: ['a'], dest: ['b'], formatStrs: ['yyyy-MM-dd'] };
    const [outcome] = await runStage(ParseDate, params, [{ id: '1', a: '2021-02-02' }]);
    const midnight = new Date(2021, 1, 2).toISOString().replace('.000Z', 'Z');
    expect(JSON.parse(outcome?.documents[0] as string).b).toBe(midnight);
  });

  it('preserves the order of the dates of a list and omits other values', async () => {
    expect(
      await run(day, { id: '1', a: ['2024-01-02', 'bad', null, { x: 1 }, '2023-01-02'] }, { id: '2', a: [] }),
    ).toEqual([
      '{"id":"1","a":["2024-01-02","bad",null,{"x":1},"2023-01-02"],"b":["2024-01-02T00:00:00Z","2023-01-02T00:00:00Z"]}',
      '{"id":"2","a":[]}',
    ]);
  });

  it('replaces the source field with its date, and removes the field if it has no valid date', async () => {
    const params = { ...day, dest: ['a'] };
    const documents = [
      { id: '1', a: '2024-01-02' },
      { id: '2', a: 'bad' },
      { id: '3', a: ['bad', '2024-01-02'] },
    ];
    expect(await run(params, ...documents, { id: '4', a: ['bad'] }, { id: '5' })).toEqual([
      '{"id":"1","a":"2024-01-02T00:00:00Z"}',
      '{"id":"2"}',
      '{"id":"3","a":"2024-01-02T00:00:00Z"}',
      '{"id":"4"}',
      '{"id":"5"}',
    ]);
    expect(await run({ ...params, updateMode: 'append' }, ...documents)).toEqual([
      '{"id":"1","a":["2024-01-02","2024-01-02T00:00:00Z"]}',
      '{"id":"2","a":"bad"}',
      '{"id":"3","a":["bad","2024-01-02","2024-01-02T00:00:00Z"]}',
    ]);
    expect(await run({ ...params, updateMode: 'skip' }, ...documents)).toEqual(documents.map((d) => JSON.stringify(d)));
  });

  it('keeps the destination if no value is a date', async () => {
    expect(await run(day, { id: '1', a: 'bad', b: 'old' })).toEqual(['{"id":"1","a":"bad","b":"old"}']);
  });

  it('tries the next pattern after a pattern without a full date, and warns once', async () => {
    const context = stageContext();
    const params = { ...day, formatStrs: ['yyyy-MM', 'yyyy-MM-dd'], timeZoneId: 'UTC' };
    const outcomes = await runStage(
      ParseDate,
      params,
      [
        { id: '1', a: '2024-05-06' },
        { id: '2', a: '2024-05' },
      ],
      context,
    );
    expect(outcomes.map(({ documents }) => documents[0])).toEqual([
      '{"id":"1","a":"2024-05-06","b":"2024-05-06T00:00:00Z"}',
      '{"id":"2","a":"2024-05"}',
    ]);
    expect(context.logged).toEqual([expect.stringContaining('The date pattern "yyyy-MM" matches "2024-05-06"')]);
    expect(context.collector.list()).toMatchObject([
      { code: 'date.unparsed', count: 1, examples: [{ document: '2', field: 'a', value: '2024-05' }] },
    ]);
  });

  it('reports each value that matches no pattern, also of lists and in tables', async () => {
    const documents = [
      { id: '1', a: 'x' },
      { id: '2', a: ['2024-05-06', 'y', 'z'] },
      { id: '3', a: '' },
      { id: '4', a: null },
      { id: '5', a: '2024-05-06' },
    ];
    const lines = documents.map((document) => JSON.stringify(document));
    for (const together of [true, false]) {
      const notices = async (dest: string) => {
        const context = stageContext();
        const params = { ...day, dest: [dest], timeZoneId: 'UTC' };
        const stage = makeStage(ParseDate, params, context);
        const outcome = await runPipeline([{ stage }], [lines.map(toDocument), lines.map(toDocument)], together);
        expect(outcome.counts.failed).toBe(0);
        return context.collector.list().map(({ code, count }) => [code, count]);
      };
      expect(await notices('b')).toEqual([['date.unparsed', 6]]);
      expect(await notices('a')).toEqual([['date.omitted', 6]]);
    }
  });

  it('reports all invalid patterns, formatters and zones together', async () => {
    const wrong = run({
      ...day,
      formatStrs: ['yyyy', "yyyy 'T"],
      formatters: [{ class: 'DatePipe' }],
      timeZoneId: 'PST',
    });
    await expect(wrong).rejects.toThrow(
      /formatStrs\[1\] is not a date pattern[\s\S]*There is no date formatter DatePipe[\s\S]*Unknown time-zone ID: PST/,
    );
    await expect(run({ ...day, source: ['a', 'b', 'c'], dest: ['d', 'e'] })).rejects.toThrow('source has 3 fields');
    await expect(run({ ...day, dest: ['run_id'] })).rejects.toThrow('dest[0] names run_id');
  });

  it('warns if there are neither patterns nor formatters', () => {
    expect([...ParseDate.check(withDefaults(ParseDate.parameters, { source: ['a'], dest: ['b'] }))]).toMatchObject([
      { severity: 'warning' },
    ]);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ParseDate, { params: day, document: { id: '1', a: ['2024-01-02', '2024-01-03'] } }));
});
