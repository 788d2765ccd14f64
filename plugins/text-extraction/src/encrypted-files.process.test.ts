import { readFileSync } from 'node:fs';
import { zipOf } from '@headrace/testing/archives';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { extractAll } from './testing/extract.ts';
import { oleFile } from './testing/ole-files.ts';

/**
 * The workbook sheet.xlsx, encrypted by Apache POI 5 with Excel's default password in the forms of three versions of
 * Office, and with the password "secret". And old.xls, encrypted with "secret".
 */
const file = (name: string) => readFileSync(new URL(`./testing/encrypted/${name}`, import.meta.url));
const TEXT = '2024\n\tname\tprice\tday\n\tapple\t1.5\t2024-01-02\n\nempty\nmore\n\tlast\n\n';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PROBLEM = 'The file cannot be read: it is encrypted';
const params = { errorField: 'problem' };

it.each(['2007', '2010', '2013'])('TextExtractor reads a protected workbook of Excel %s', async (version) => {
  const [read] = await extractAll([file(`protected-${version}.xlsx`)], params);
  expect(read).toMatchObject({ text: TEXT, tika_content_type: TYPE, tika_dc_title: 'Prices' });
  expect(read).not.toHaveProperty('problem');
});

it('TextExtractor reports files that need a password, and reads a protected file in an archive', async () => {
  const archive = zipOf(['protected-2007.xlsx', 'secret.xlsx'].map((name) => ({ name, content: file(name) })));
  const [secret, old, inner] = await extractAll([file('secret.xlsx'), file('secret.xls'), archive], params);
  expect(secret).toMatchObject({ problem: PROBLEM, tika_content_type: 'application/x-tika-ooxml-protected' });
  expect(old).toMatchObject({ problem: PROBLEM, tika_content_type: 'application/vnd.ms-excel' });
  expect(inner).toMatchObject({
    text: `protected-2007.xlsx\n${TEXT}secret.xlsx\n`,
    tika_x_tika_exception_embedded_exception: 'secret.xlsx: it is encrypted',
  });
});

it('TextExtractor never hangs or stops for damaged parameters of the encryption', async () => {
  const xml = (attributes: string) =>
    Buffer.concat([
      Buffer.from('0400040040000000', 'hex'),
      Buffer.from(`<encryption><keyData ${attributes}/><encryptedKey ${attributes}/></encryption>`),
    ]);
  const known = 'cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512" keyBits="256"';
  const infos = [
    xml(`${known} spinCount="4000000000" saltValue="AAAA"`),
    xml(`${known} spinCount="-1"`),
    xml(`${known} encryptedKeyValue="AAAA" encryptedVerifierHashInput="AAAA" spinCount="1"`),
    xml(known.replace('AES', 'RC2')),
    xml('<'),
    Buffer.from('0400040040000000', 'hex'),
    Buffer.from(`04000200${'ff'.repeat(100)}`, 'hex'),
    Buffer.alloc(3),
  ];
  const files = infos.map((EncryptionInfo) => oleFile({ EncryptionInfo, EncryptedPackage: Buffer.alloc(64, 1) }));
  for (const read of await extractAll([...files, oleFile({ EncryptedPackage: Buffer.alloc(8) })], params)) {
    expect(read).toMatchObject({ problem: expect.stringMatching(/^The file cannot be read: /), text: '' });
  }
});

it('TextExtractor reads or reports a protected file with any damaged byte', async () => {
  const whole = file('protected-2007.xlsx');
  const damage = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 4, maxLength: 4 }), async (damages) => {
      const files = damages.map(([at, change]) => {
        const copy = Buffer.from(whole);
        copy[at] = (copy[at] as number) ^ change;
        return copy;
      });
      for (const read of await extractAll([...files, 'a text'], params)) expect(read).toHaveProperty('text');
    }),
    { numRuns: 5 },
  );
});
