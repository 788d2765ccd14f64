import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { readOptions } from '../testing/read-options.ts';
import { ParseThreads } from './parse-threads.ts';

const threads = new ParseThreads({ memoryMb: 512, timeout: 60_000 }, 1);
afterAll(() => threads.close());

const parse = (bytes: Uint8Array) =>
  threads.parse({
    bytes,
    name: undefined,
    contentType: undefined,
    format: 'text',
    maxCharacters: 1_000_000,
    maxExpandedBytes: 10_000_000,
    images: true,
    options: readOptions,
  });

const folder = join(import.meta.dirname, '../testing/files');
/** What the JavaScript engine says about a wrong access. */
const OF_THE_ENGINE =
  /Cannot (read|set) prop|The first argument must|is not a function|is not iterable|Offset is outside|Invalid (typed )?array/;

it.each(readdirSync(folder).filter((name) => name !== 'bomb.zip'))(
  'a file with damaged bytes, or without its end, is read or reported as damaged: %s',
  async (name) => {
    const bytes = readFileSync(join(folder, name));
    const place = fc.nat({ max: bytes.length - 1 });
    const damage = fc.record({
      end: fc.option(place, { nil: bytes.length }),
      changes: fc.array(fc.tuple(place, fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ end, changes }) => {
        const damaged = Buffer.from(bytes);
        for (const [at, value] of changes) damaged[at] = value;
        const { problem } = await parse(damaged.subarray(0, end));
        if (problem === undefined) return;
        expect(problem.message).not.toBe('');
        if (OF_THE_ENGINE.test(problem.message))
          expect(problem.message).toMatch(/^it is damaged: a part of it is missing/);
      }),
      { numRuns: 20 },
    );
  },
);

it('an error that a library does not handle is reported, and does not end the thread', async () => {
  const bytes = readFileSync(join(folder, '../damaged/unhandled.pdf'));
  expect(await parse(bytes)).toMatchObject({
    text: expect.any(String),
    problem: { kind: 'damaged', message: expect.stringContaining('End of file inside array') },
  });
});
