import { HeadraceError, type PreviewRequest, readConfigText } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Previews } from './previews.ts';

const { root } = readConfigText('connectors: [{ password: hunter2 }]');
const request = { root } as PreviewRequest;
const waiting = new AbortController().signal;

describe('a preview whose thread hangs', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is answered after a timeout, and counts as running until its thread ends', async () => {
    const ends: (() => void)[] = [];
    const previews = new Previews({
      preview: () => new Promise((resolve) => ends.push(() => resolve({ results: [], problems: [], notices: [] }))),
      reach: async () => [],
      rollback: async () => '',
    });
    const hanging = Array.from({ length: 4 }, () =>
      previews.preview(request, waiting).catch((error: unknown) => error),
    );
    await vi.advanceTimersByTimeAsync(60_000);
    for (const answer of await Promise.all(hanging)) {
      expect(answer).toMatchObject({
        status: 422,
        code: 'HR_RUN_CANCELLED',
        message: expect.stringContaining('hangs'),
      });
    }
    await expect(previews.preview(request, waiting)).rejects.toMatchObject({ status: 429, code: 'HR_PREVIEW_BUSY' });
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    const next = previews.preview(request, waiting);
    ends[4]?.();
    expect(await next).toEqual({ results: [], problems: [], notices: [] });
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a preview whose thread is lost does not reveal secrets of its config', async () => {
  const lost = async () => {
    throw new HeadraceError('HR_RUN_CANCELLED', 'hunter2 took all memory', { hint: 'Look at hunter2.' });
  };
  const previews = new Previews({ preview: lost, reach: lost, rollback: lost });
  const hidden = { code: 'HR_RUN_CANCELLED', message: '****** took all memory', hint: 'Look at ******.' };
  await expect(previews.preview(request, waiting)).rejects.toMatchObject(hidden);
  await expect(previews.reach(request)).rejects.toMatchObject(hidden);
});
