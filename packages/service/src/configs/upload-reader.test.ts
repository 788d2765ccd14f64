import { Registry } from '@headrace/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UploadReader } from './upload-reader.ts';

/** Longer than what is read where it comes in. */
const LARGE = `a = "${'x'.repeat(20_000)}"`;

async function uploadReader(): Promise<UploadReader> {
  const reader = new UploadReader(
    await Registry.open({ catalogs: [], modules: [], base: 'file:///', allowModules: false }),
  );
  onTestFinished(() => reader.close());
  return reader;
}

describe('the thread that reads large texts', () => {
  it('reads those that are stored before those that come now, and refuses only what comes now', async () => {
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
});
