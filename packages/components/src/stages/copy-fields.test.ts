import { withDefaults } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { CopyFields } from './copy-fields.ts';

async function copy(params: Record<string, unknown>, document: string): Promise<string> {
  const [outcome] = await runStage(CopyFields, params, [document]);
  return outcome?.error ?? (outcome?.documents[0] as string);
}

describe('CopyFields', () => {
  it.each([false, true])('satisfies the stage contract (isNested: %s)', async (isNested) => {
    await assertStageContract(CopyFields, {
      params: { fieldMapping: { a: ['b', 'c'], o: 'p' }, isNested },
      document: { id: '1', a: ['x', 1], o: { k: ['v'] } },
    });
  });

  it('copies values as texts, and objects and null unchanged', async () => {
    expect(
      await copy(
        { fieldMapping: { 'a.b': 'c', o: 'p', one: 'x', none: 'y', empty: 'z' } },
        '{"id":"1","a.b":[1,1.0,true,null,[2]],"o":{"k":1.0},"one":["v"],"empty":[]}',
      ),
    ).toBe(
      '{"id":"1","a.b":[1,1.0,true,null,[2]],"o":{"k":1.0},"one":["v"],"empty":[],' +
        '"c":["1","1.0","true",null,[2]],"p":{"k":1.0},"x":"v"}',
    );
  });

  it('copies in the order of the config, also for names that are numbers', async () => {
    const fieldMapping = new Map([
      ['b', 'c'],
      ['1', 'b'],
      ['a', 'b'],
    ]);
    expect(await copy({ fieldMapping, updateMode: 'append' }, '{"id":"i","1":"x","a":"y","b":"z"}')).toBe(
      '{"id":"i","1":"x","a":"y","b":["z","x","y"],"c":"z"}',
    );
  });

  it('copies values between paths unchanged', async () => {
    expect(
      await copy(
        { fieldMapping: { 'o.l[1]': ['p.q', 'r[0]'], 'o.none': 's', id: 'p.id' }, isNested: true },
        '{"id":"1","o":{"l":[1,[1.0,null]]},"p":{"q":"old"}}',
      ),
    ).toBe('{"id":"1","o":{"l":[1,[1.0,null]]},"p":{"q":[1.0,null],"id":"1"},"r":[[1.0,null]]}');
  });

  it('copies objects, so a later change affects only one of them', () => {
    const stage = makeStage(CopyFields, { fieldMapping: { o: 'p' }, isNested: true });
    const document = toDocument({ id: '1', o: { k: 1 } });
    stage.process(document);
    (document.get('p') as Map<string, unknown>).set('k', 2);
    expect(document.toJson()).toBe('{"id":"1","o":{"k":1},"p":{"k":2}}');
  });

  it.each([
    ['a.b', '{"id":"1","v":1,"a":"scalar"}'],
    ['a.b', '{"id":"1","v":1,"a":[1]}'],
    ['a[2]', '{"id":"1","v":1,"a":[1]}'],
  ])('fails if the path %s does not fit %s', async (path, document) => {
    expect(await copy({ fieldMapping: { v: path }, isNested: true }, document)).toContain(path);
  });

  it('skips copies to reserved fields with isNested and reports a warning', async () => {
    const params = { fieldMapping: new Map([['v', ['run_id', 'w']]]), isNested: true, updateMode: 'overwrite' };
    expect([...CopyFields.check(withDefaults(CopyFields.parameters, params as never))]).toMatchObject([
      { parameter: 'fieldMapping.v', severity: 'warning' },
    ]);
    const stage = new CopyFields(params as never, stageContext());
    const document = toDocument({ id: '1', v: 2 });
    stage.process(document);
    expect(document.toJson()).toBe('{"id":"1","v":2,"w":2}');
  });

  it.each([
    [{ fieldMapping: {} }, 'at least one field'],
    [{ fieldMapping: { a: 'id' } }, 'reserved'],
    [{ fieldMapping: { a: ['b', ''] } }, 'must not be empty'],
    [{ fieldMapping: { a: { b: 'c' } } }, 'must be a string'],
    [{ fieldMapping: { a: 5 } }, 'fieldMapping.a must be a string, was "NUMBER"'],
    [{ fieldMapping: { a: ['b', true] } }, 'must be a string'],
    [{ fieldMapping: { a: 'b[' }, isNested: true }, 'bracket'],
    [{ fieldMapping: { 'a b': 'c' }, isNested: true }, 'white space'],
    [{ fieldMapping: { a: '.' }, isNested: true }, 'is not a path'],
    [{ fieldMapping: { a: 'b' }, updateMode: 'replace' }, 'must be one of'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(CopyFields, params)).toThrow(message);
  });
});
