import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';
import { readOptions } from '../testing/read-options.ts';

/** Files of testing/make-archives.py. */
const file = (name: string) => readFileSync(new URL(`../testing/${name}`, import.meta.url));
const TEXT = 'a.txt\nText of a\nfolder/grün.html\nA title\n';
const withPasswords = (...passwords: string[]) => ({ options: { ...readOptions, passwords } });

it('reads the files of a 7z archive', async () => {
  expect(await parsed(file('files/files.7z'))).toMatchObject({ text: TEXT, notices: [] });
});

it.each(['secret.7z', 'secret-names.7z'])(
  'reads an encrypted archive with the password that opens it: %s',
  async (name) => {
    const archive = file(`encrypted/${name}`);
    expect(await parsed(archive, withPasswords('other', 'secret'))).toMatchObject({ text: TEXT, notices: [] });
    expect((await parsed(archive)).problem).toEqual({ kind: 'encrypted', message: 'it is encrypted' });
    expect((await parsed(archive, withPasswords('other'))).problem?.message).toBe(
      'it is encrypted, and none of the passwords opens it',
    );
  },
);

it('counts what an archive expands to before it is unpacked', async () => {
  const { problem } = await parsed(file('files/files.7z'), { maxExpandedBytes: 20 });
  expect(problem).toEqual({ kind: 'too large', message: 'it expands to more than 20 bytes' });
});

it('reads or reports an archive with damaged bytes', async () => {
  const whole = file('files/files.7z');
  const damage = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
  await fc.assert(
    fc.asyncProperty(damage, async ([at, change]) => {
      const copy = Buffer.from(whole);
      copy[at] = (copy[at] as number) ^ change;
      const { text, problem, notices } = await parsed(copy);
      expect(text === TEXT || problem !== undefined || notices.length > 0 || text.includes('Text of a')).toBe(true);
    }),
    { numRuns: 10 },
  );
});
