import { assertStageContract, runStage } from '@headrace/engine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Timestamp } from './timestamp.ts';

afterEach(() => void vi.useRealTimers());

async function stampAt(time: string, document: Record<string, unknown> = { id: '1' }) {
  vi.useFakeTimers({ now: new Date(time), toFake: ['Date'] });
  const [outcome] = await runStage(Timestamp, { destField: 't' }, [document]);
  return outcome?.documents[0];
}

describe('Timestamp', () => {
  it('writes the time in UTC, with a fraction only if it is not a whole second', async () => {
    expect(await stampAt('2024-05-06T07:08:09.120Z')).toBe('{"id":"1","t":"2024-05-06T07:08:09.120Z"}');
    expect(await stampAt('2024-05-06T07:08:09Z')).toBe('{"id":"1","t":"2024-05-06T07:08:09Z"}');
  });

  it('replaces the previous value of the field', async () => {
    expect(await stampAt('2024-05-06T07:08:09Z', { id: '1', t: ['old', 'older'] })).toBe(
      '{"id":"1","t":"2024-05-06T07:08:09Z"}',
    );
  });

  it('refuses reserved and empty names', async () => {
    await expect(runStage(Timestamp, { destField: 'id' }, [])).rejects.toThrow('destField names id');
    await expect(runStage(Timestamp, { destField: '' }, [])).rejects.toThrow('destField must not be empty');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(Timestamp, { params: { destField: 't' }, document: { id: '1' }, random: true }));
});
