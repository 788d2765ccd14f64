import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readLines } from './line-reader.ts';

it('reads no more of a long line while there is no memory for it', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  const events: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const memory = {
    take(bytes: number) {
      events.push(`take ${bytes}`);
      return promise;
    },
    release: () => void events.push('release'),
  };
  readLines(stream, 1000, (line) => lines.push(line), memory);
  stream.write('a\nbc');
  await new Promise(setImmediate);
  stream.write('d\ne\n');
  await new Promise(setImmediate);
  expect([lines, events]).toEqual([['a'], ['release', 'take 4']]);
  resolve();
  await new Promise(setImmediate);
  expect([lines, events]).toEqual([
    ['a', 'bcd', 'e'],
    ['release', 'take 4', 'release', 'release'],
  ]);
});
