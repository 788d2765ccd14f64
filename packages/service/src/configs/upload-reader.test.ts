import type { Worker } from 'node:worker_threads';
import { Registry } from '@headrace/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UploadReader } from './upload-reader.ts';

/** A config that is large enough to be read in the thread. */
const LARGE = `a = "${'x'.repeat(20_000)}"`;

async function uploadReader(): Promise<UploadReader> {
  const reader = new UploadReader(
    await Registry.open({ catalogs: [], modules: [], base: 'file:///', allowModules: false }),
  );
  onTestFinished(() => reader.close());
  return reader;
}

describe('the thread that reads large texts', () => {
  it('reads stored texts before new ones, and refuses only new ones if too many are waiting', async () => {
    const reader = await uploadReader();
    const done: string[] = [];
    const fresh = Array.from({ length: 18 }, () =>
      reader.problems(LARGE, 'hocon').then(
        () => done.push('fresh'),
        (error: Error) => done.push(error.message),
      ),
    );
    const stored = reader.read(LARGE, 'hocon').then(({ root }) => done.push(root === undefined ? 'nothing' : 'stored'));
    await Promise.all([...fresh, stored]);
    expect(done).toEqual([
      '16 large bodies or configs are waiting to be read',
      'fresh',
      'stored',
      ...Array(16).fill('fresh'),
    ]);
  });

  it('refuses the current and all waiting texts immediately when the service closes', async () => {
    const reader = await uploadReader();
    const asked = [1, 2, 3].map(() => reader.problems(LARGE, 'hocon'));
    const refused = Promise.all(asked.map((each) => expect(each).rejects.toMatchObject({ code: 'HR_SHUTTING_DOWN' })));
    await reader.close();
    await refused;
    await expect(reader.problems(LARGE, 'hocon')).rejects.toMatchObject({ code: 'HR_SHUTTING_DOWN' });
  });

  it('rejects the current text when the thread dies, and reads the next text in a new thread', async () => {
    const reader = await uploadReader();
    const threads: Worker[] = [];
    const note = (thread: Worker) => void threads.push(thread);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const torn = expect(reader.problems(LARGE, 'hocon')).rejects.toThrow('The thread that reads large texts has ended');
    await expect.poll(() => threads.length).toBe(1);
    await threads[0]?.terminate();
    await torn;
    expect(await reader.maskedText(LARGE, 'hocon')).toBe(LARGE);
    await threads[1]?.terminate();
    expect(await reader.maskedText(LARGE, 'hocon')).toBe(LARGE);
    expect(threads).toHaveLength(3);
  });
});
