import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ParseJson } from './parse-json.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(ParseJson, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

describe('ParseJson', () => {
  it('copies every key without loss of precision', async () => {
    const j =
      '{"a": 1, "b": [true, null], "c": {"d": 2.50}, "e": 1e3, "f": 9007199254740993, "g": null, "__proto__": 1}';
    const [out] = await run({ src: 'j' }, { id: '1', j, a: 'old' });
    expect(out).toBe(
      `{"id":"1","j":${JSON.stringify(j)},"a":1,"b":[true,null],"c":{"d":2.5},"e":1000.0,"f":9007199254740993,"g":null,"__proto__":1}`,
    );
  });

  it('applies updateMode to existing fields', async () => {
    const document = { id: '1', j: '{"k":[2],"n":1}', k: 'old' };
    expect(await run({ src: 'j', updateMode: 'skip' }, document)).toEqual([
      '{"id":"1","j":"{\\"k\\":[2],\\"n\\":1}","k":"old","n":1}',
    ]);
    expect(await run({ src: 'j', updateMode: 'append' }, document)).toEqual([
      '{"id":"1","j":"{\\"k\\":[2],\\"n\\":1}","k":["old",[2]],"n":1}',
    ]);
  });

  it('copies the values at the paths, and nothing for null or missing values', async () => {
    const jsonFieldPaths = {
      x: '$.o.x',
      all: '$.l[*].n',
      first: 'l[0]',
      null: '$.nil',
      missing: '$.no.where',
      empty: '$.l[?(@.n > 9)]',
      matching: '$.l[?(@.s =~ /A\\p{Lower}+/i)].n',
      sum: '$.l.sum($.l[0].n, $.l[1].n)',
    };
    const j = '{"o":{"x":[1.0]},"l":[{"n":1,"s":"abc"},{"n":2,"s":"b"},{}],"nil":null}';
    const [out] = await run({ src: 'j', jsonFieldPaths }, { id: '1', j, null: 'kept' });
    expect(out?.replace(JSON.stringify(j), '""')).toBe(
      '{"id":"1","j":"","null":"kept","x":[1.0],"all":[1,2,null],"first":{"n":1,"s":"abc"},"empty":[],"matching":[1],"sum":3.0}',
    );
  });

  it('reads paths in JSON that is not an object', async () => {
    expect(await run({ src: 'j', jsonFieldPaths: { a: '$[1]' } }, { id: '1', j: '[1,2]' })).toEqual([
      '{"id":"1","j":"[1,2]","a":2}',
    ]);
    expect(await run({ src: 'j', jsonFieldPaths: { a: '$' } }, { id: '1', j: 5 })).toEqual(['{"id":"1","j":5,"a":5}']);
    expect(await run({ src: 'j', jsonFieldPaths: { a: '$..b' } }, { id: '1', j: 'null' })).toEqual([
      'The JSON in field "j" is null',
    ]);
  });

  it('reads JSON in base64 if sourceIsBase64 is true', async () => {
    const params = { src: 'j', sourceIsBase64: true };
    const encoded = Buffer.from('{"u": "größe"}').toString('base64');
    const [good, twice, spaced, unpadded, wrong, number] = await run(
      params,
      { id: '1', j: encoded },
      { id: '1', j: encoded + encoded },
      { id: '2', j: `${encoded.slice(0, 5)}\n ${encoded.slice(5)}` },
      { id: '3', j: encoded.replace(/=+$/, '') },
      { id: '4', j: '%%%' },
      { id: '5', j: 1 },
    );
    for (const text of [good, twice, spaced]) expect(text).toContain('"u":"größe"');
    for (const error of [unpadded, wrong, number]) expect(error).toContain('Field "j" is not JSON');
  });

  it('does not change documents without JSON', async () => {
    const documents = ['{"id":"1"}', '{"id":"2","j":null}', '{"id":"3","j":[]}', '{"id":"4","j":[null,"{}"]}'];
    expect(await run({ src: 'j' }, ...documents)).toEqual(documents);
  });

  it('reads the first of several texts, and an object directly', async () => {
    expect(await run({ src: 'j' }, { id: '1', j: ['{"a":1}', '{"b":2}'] }, { id: '2', j: { x: ['v'] } })).toEqual([
      '{"id":"1","j":["{\\"a\\":1}","{\\"b\\":2}"],"a":1}',
      '{"id":"2","j":{"x":["v"]},"x":["v"]}',
    ]);
  });

  it('fails documents whose text is not a JSON object, with the reason', async () => {
    const outcomes = await run({ src: 'j' }, { id: '1', j: '{broken' }, { id: '2', j: '' }, { id: '3', j: '[1]' });
    expect(outcomes).toEqual([
      expect.stringMatching(/^Field "j" is not JSON: Expected a key in double quotes, found "b"/),
      expect.stringMatching(/^Field "j" is not JSON/),
      'The JSON in field "j" is not an object',
    ]);
  });

  it('fails documents with reserved or empty keys before it writes any field', async () => {
    expect(await run({ src: 'j' }, { id: '1', j: '{"a":1,"run_id":2}' }, { id: '2', j: '{"":1}' })).toEqual([
      'The JSON in field "j" has the key "run_id", which cannot be written',
      'The JSON in field "j" has the key "", which cannot be written',
    ]);
  });

  it('refuses invalid paths and reserved destinations', async () => {
    await expect(run({ src: 'j', jsonFieldPaths: { a: '$.x[?(' } })).rejects.toThrow(
      'jsonFieldPaths.a is not a JSON path',
    );
    await expect(run({ src: 'j', jsonFieldPaths: { a: '$.x[?(@ =~ /(/)]' } })).rejects.toThrow('is not a JSON path');
    await expect(run({ src: 'j', jsonFieldPaths: { a: 5 } })).rejects.toThrow('must be a JSON path');
    await expect(run({ src: 'j', jsonFieldPaths: { a: ' ' } })).rejects.toThrow('must be a JSON path');
    await expect(run({ src: 'j', jsonFieldPaths: { id: '$.x' } })).rejects.toThrow('jsonFieldPaths.id names id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ParseJson, {
      params: { src: 'j', jsonFieldPaths: { a: '$.x', b: '$.x', c: '$..x' } },
      document: { id: '1', j: '{"x":{"y":[1]}}' },
    }));
});
