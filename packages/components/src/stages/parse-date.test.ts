import { DocumentTable, type Value, withDefaults } from '@headrace/engine';
import { assertStageContract, runStage, stageContext, toDocument } from '@headrace/engine/testing';
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

  it('tries the next pattern after a pattern without a full date, and names it in a notice', async () => {
    const context = stageContext();
    const params = { ...day, formatStrs: ['yyyy-MM', 'yyyy-MM-dd'], timeZoneId: 'UTC' };
    const documents = [
      { id: '1', a: '2024-05-06' },
      { id: '2', a: '2024-05' },
    ];
    const outcomes = await runStage(ParseDate, params, documents, context);
    expect(outcomes.map(({ documents }) => documents[0])).toEqual([
      '{"id":"1","a":"2024-05-06","b":"2024-05-06T00:00:00Z"}',
      '{"id":"2","a":"2024-05"}',
    ]);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'date.unparsed',
        class: 'suspect',
        count: 1,
        examples: [
          {
            document: '2',
            field: 'a',
            value: '2024-05',
            hint: expect.stringContaining('The date pattern "yyyy-MM" matches "2024-05"'),
          },
        ],
      },
    ]);
  });

  describe('with values that match no pattern', () => {
    const documents = [
      { id: '1', a: '2024-01-02' },
      { id: '2', a: 'bad' },
      { id: '3', a: ['worse', '2024-01-03', null, ' ', { x: 1 }] },
      { id: '4', a: '' },
    ];

    async function notices(params: Record<string, unknown>) {
      const context = stageContext();
      const outcomes = await runStage(ParseDate, { ...day, timeZoneId: 'UTC', ...params }, documents, context);
      return {
        documents: outcomes.map(({ documents, error }) => error ?? documents.join()),
        notices: context.collector.list(),
      };
    }

    it('counts those that it removes from their field as lost', async () => {
      const { notices: found } = await notices({ dest: ['a'] });
      expect(found).toMatchObject([
        {
          code: 'date.omitted',
          class: 'loss',
          count: 3,
          examples: [
            { document: '2', field: 'a', value: 'bad' },
            { document: '3', field: 'a', value: 'worse' },
            { document: '3', field: 'a', value: '{"x":1}' },
          ],
        },
      ]);
    });

    it('counts those that stay in the source field', async () => {
      expect((await notices({})).notices).toMatchObject([{ code: 'date.unparsed', class: 'suspect', count: 3 }]);
      expect((await notices({ dest: ['a'], updateMode: 'append' })).notices).toMatchObject([
        { code: 'date.unparsed', count: 3 },
      ]);
    });

    it('keeps them with onNoMatch: keep, and counts them', async () => {
      expect(await notices({ dest: ['a'], onNoMatch: 'keep' })).toMatchObject({
        documents: [
          '{"id":"1","a":"2024-01-02T00:00:00Z"}',
          '{"id":"2","a":"bad"}',
          '{"id":"3","a":["worse","2024-01-03T00:00:00Z",{"x":1}]}',
          '{"id":"4"}',
        ],
        notices: [{ code: 'date.unparsed', count: 3 }],
      });
      expect((await notices({ onNoMatch: 'keep' })).documents[1]).toBe('{"id":"2","a":"bad","b":"bad"}');
    });

    it('fails their documents with onNoMatch: fail', async () => {
      expect(await notices({ onNoMatch: 'fail' })).toEqual({
        documents: [
          '{"id":"1","a":"2024-01-02","b":"2024-01-02T00:00:00Z"}',
          'Field a has a value that matches no date pattern',
          'Field a has a value that matches no date pattern',
          '{"id":"4","a":""}',
        ],
        notices: [],
      });
    });

    it('counts them in tables as in single documents', () => {
      const context = stageContext();
      const stage = new ParseDate(withDefaults(ParseDate.parameters, { ...day, dest: ['a'] }), context);
      const values = documents.map((document) => toDocument(document).get('a') as Value);
      const table = new DocumentTable(['id', 'a'], [['1', '2', '3', '4'], values], 4);
      expect(stage.processTable(table)).toBe(true);
      expect(context.collector.list()).toMatchObject([
        { code: 'date.omitted', count: 3, examples: [{ document: '2', value: 'bad' }, { document: '3' }, {}] },
      ]);
    });
  });

  it('reads numbers of seconds, milliseconds, microseconds and nanoseconds since 1970', async () => {
    const read = async (pattern: string, a: unknown) =>
      (await run({ ...day, formatStrs: [pattern] }, { id: '1', a }))[0];
    expect(await read('epoch_second', 1700000000)).toContain('"b":"2023-11-14T22:13:20Z"');
    expect(await read('epoch_second', '1700000000')).toContain('"b":"2023-11-14T22:13:20Z"');
    expect(await read('epoch_second', 1700000000.25)).toContain('"b":"2023-11-14T22:13:20.250Z"');
    expect((await run({ ...day, formatStrs: ['epoch_second'] }, '{"id":"1","a":1700000000.0}'))[0]).toContain(
      '"b":"2023-11-14T22:13:20Z"',
    );
    expect(await read('epoch_millis', 1700000000123)).toContain('"b":"2023-11-14T22:13:20.123Z"');
    expect(await read('epoch_micros', 1700000000123456)).toContain('"b":"2023-11-14T22:13:20.123456Z"');
    expect(await read('epoch_nanos', '1700000000123456789')).toContain('"b":"2023-11-14T22:13:20.123456789Z"');
    expect(await read('epoch_second', '1700000000 s')).toBe('{"id":"1","a":"1700000000 s"}');
  });

  it('reports seconds that UnixTimestampFormatter reads as milliseconds', async () => {
    const context = stageContext();
    const params = { source: ['a'], dest: ['b'], formatters: [{ class: 'UnixTimestampFormatter' }] };
    await runStage(
      ParseDate,
      params,
      [
        { id: '1', a: 1700000000 },
        { id: '2', a: 1700000000123 },
        { id: '3', a: 5 },
      ],
      context,
    );
    expect(context.collector.list()).toMatchObject([
      { code: 'date.epochUnit', count: 1, examples: [{ document: '1', value: '1700000000' }] },
    ]);
  });

  it('reads names in the language of the stage or of the pattern', async () => {
    const formatStrs = ['d MMM yyyy'];
    const formats = [{ pattern: 'd. MMMM yyyy', locale: 'de' }, { pattern: 'd/MMM/yyyy' }];
    expect(
      await run(
        { ...day, formatStrs, formats, locale: 'fr' },
        { id: '1', a: '12 févr. 2024' },
        { id: '2', a: '3. März 2024' },
        { id: '3', a: '3 March 2024' },
        { id: '4', a: '3/AOÛT/2024' },
      ),
    ).toEqual([
      '{"id":"1","a":"12 févr. 2024","b":"2024-02-12T00:00:00Z"}',
      '{"id":"2","a":"3. März 2024","b":"2024-03-03T00:00:00Z"}',
      '{"id":"3","a":"3 March 2024"}',
      '{"id":"4","a":"3/AOÛT/2024","b":"2024-08-03T00:00:00Z"}',
    ]);
    await expect(run({ ...day, locale: 'xx_YY' })).rejects.toThrow('locale is not the tag of a known language: xx_YY');
    await expect(run({ ...day, formats: [{ pattern: 'yyyy', locale: 'qqq' }] })).rejects.toThrow(
      'formats[0].locale is not the tag of a known language: qqq',
    );
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
