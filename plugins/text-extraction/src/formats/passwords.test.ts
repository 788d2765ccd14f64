import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';
import { readOptions } from '../testing/read-options.ts';

/** Files of testing/make-archives.py, and a workbook that Apache POI has encrypted. */
const file = (name: string) => readFileSync(new URL(`../testing/encrypted/${name}`, import.meta.url));
const withPasswords = (...passwords: string[]) => ({ options: { ...readOptions, passwords } });

it.each([
  ['secret.pdf', 'Secret page\n', 'it is encrypted'],
  ['secret.xlsx', '2024\n\tname\tprice\tday\n\tapple\t1.5\t2024-01-02\n\nempty\nmore\n\tlast\n\n', 'it is encrypted'],
])('reads an encrypted file with the password that opens it: %s', async (name, text, reason) => {
  expect(await parsed(file(name), withPasswords('', 'other', 'secret', 'never tried'))).toMatchObject({
    text,
    notices: [],
  });
  expect((await parsed(file(name))).problem).toEqual({ kind: 'encrypted', message: reason });
  expect((await parsed(file(name), withPasswords('other'))).problem).toEqual({
    kind: 'encrypted',
    message: `${reason}, and none of the passwords opens it`,
  });
});

it('reads the encrypted files of a zip archive beside the others', async () => {
  const plain = 'plain.txt\nPlain text\n';
  expect((await parsed(file('secret.zip'), withPasswords('other', 'secret'))).text).toBe(
    `${plain}secret.txt\nSecret text\n`,
  );
  for (const [passwords, reason] of [
    [[], 'secret.txt: it is encrypted'],
    [['other'], 'secret.txt: it is encrypted, and none of the passwords opens it'],
  ] as const) {
    const { text, notices } = await parsed(file('secret.zip'), withPasswords(...passwords));
    expect(text).toBe(plain);
    expect(notices).toEqual([{ code: 'text.unreadable', count: 1, example: reason }]);
  }
});
