import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { DropValues } from './drop-values.ts';

async function drop(values: unknown[], field: string): Promise<string> {
  const [outcome] = await runStage(DropValues, { source: ['a', 'none'], values }, [`{"id":"1","a":${field},"z":0}`]);
  return outcome?.documents[0] as string;
}

describe('DropValues', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(DropValues, {
      params: { source: ['a'], values: ['x'] },
      document: { id: '1', a: ['x', 'y', { k: ['x'] }] },
    });
  });

  it('keeps the remaining values as a list of texts at the same position', async () => {
    expect(await drop(['x', 2], '["x","X",1,2,2.0,true,"x"]')).toBe('{"id":"1","a":["X","1","2.0","true"],"z":0}');
    expect(await drop(['x'], '"y"')).toBe('{"id":"1","a":["y"],"z":0}');
  });

  it('removes a field without remaining values', async () => {
    expect(await drop(['x'], '["x","x"]')).toBe('{"id":"1","z":0}');
    expect(await drop(['x'], '"x"')).toBe('{"id":"1","z":0}');
    expect(await drop(['x'], '[]')).toBe('{"id":"1","z":0}');
  });

  it('never removes null, objects and nested lists', async () => {
    expect(await drop([''], '[null,{"k":1},["v"],""]')).toBe('{"id":"1","a":[null,{"k":1},["v"]],"z":0}');
  });

  it.each([
    [{ source: [] }, 'at least one field'],
    [{ source: ['id'] }, 'reserved'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(DropValues, { values: ['x'], ...params })).toThrow(message);
  });
});
