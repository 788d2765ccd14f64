import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { Base64Decode } from './base64-decode.ts';

function decode(a: unknown): unknown {
  const document = toDocument({ id: '1', a, b: 'old' });
  makeStage(Base64Decode, { inputField: 'a', outputField: 'b' }).process(document);
  const value = document.get('b');
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}

describe('Base64Decode', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(Base64Decode, {
      params: { inputField: 'a', outputField: 'b' },
      document: { id: '1', a: 'aGk=' },
    });
  });

  it.each([
    ['aGVsbG8=', 'hello'],
    ['aGVsbG8', 'hello'],
    ['aGV sbG\r\n8=', 'hello'],
    ['aGVs!bG8é', 'hello'],
    ['aGk=aGk=', 'hi'],
    ['aGl', 'hi'],
    ['fn5-Pz8_', '~~~???'],
    ['', ''],
    ['=', ''],
    [['aGk=', 'aGVsbG8='], 'hi'],
    [{ x: 'aGk=' }, ''],
    [true, Buffer.from('true', 'base64').toString()],
    [null, null],
    [[null], null],
    [[], 'old'],
  ])('decodes %j to %j', (text, expected) => {
    expect(decode(text)).toEqual(expected);
  });

  it('does not change documents without the field', async () => {
    const [outcome] = await runStage(Base64Decode, { inputField: 'a', outputField: 'b' }, [{ id: '1', b: 'x' }]);
    expect(outcome?.documents).toEqual(['{"id":"1","b":"x"}']);
  });

  it('can write to its input field', async () => {
    const [outcome] = await runStage(Base64Decode, { inputField: 'a', outputField: 'a' }, [{ id: '1', a: '_-8' }]);
    expect(outcome?.documents).toEqual(['{"id":"1","a":"/+8="}']);
  });

  it('refuses to write the id', () => {
    expect(() => makeStage(Base64Decode, { inputField: 'a', outputField: 'id' })).toThrow('reserved');
  });
});
