import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DELTA_BYTE_ARRAY,
  DELTA_LENGTH_BYTE_ARRAY,
  growingTexts,
  hostileFile,
  idColumn,
  OPTIONAL,
  REQUIRED,
  type Statements,
  TEXT_ID,
  textsOfLengths,
} from '@headrace/testing/parquet-files';
import { expect, it, onTestFinished } from 'vitest';
import { folder, readDocuments } from './testing/read-documents.ts';

const NUMBERS = Uint8Array.from([7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
/** The definition levels of two billion missing values: the length of the levels, how often, and the level 0. */
const MISSING = Uint8Array.from([6, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0]);
const deep = Array.from({ length: 200 }, () => ({ field_3: REQUIRED, field_4: 'g', field_5: 1 }));
const wide = Array.from({ length: 1000 }, (_, i) => ({ field_1: 1, field_3: REQUIRED, field_4: `c${i}` }));

function write(bytes: Uint8Array, stated: Statements): string {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-hostile-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, '1.parquet'), hostileFile(bytes, stated));
  copyFileSync(`${folder}groups.parquet`, join(directory, '2.parquet'));
  return directory;
}

it('reads the file that the others differ from', async () => {
  const { json } = await readDocuments({ paths: [write(NUMBERS, {})], columns: [] });
  expect(json.filter((text) => /"[789]"/.test(text))).toEqual(['{"id":"7"}', '{"id":"8"}', '{"id":"9"}']);
});

it('reads texts that repeat those before them', async () => {
  const stated = { elements: [TEXT_ID], encoding: DELTA_BYTE_ARRAY, values: 300, rows: 300n };
  const { json } = await readDocuments({ paths: [write(growingTexts(300), stated)], columns: [] });
  const texts = Array.from({ length: 300 }, (_, i) => `{"id":"${'a'.repeat(i + 1)}"}`);
  expect(json.filter((text) => text.includes('"a'))).toEqual(texts);
});

it.each<[string, Statements, string | RegExp, Uint8Array?]>([
  ['a footer length of 0', { footer: 0 }, 'its footer is damaged: '],
  ['a footer that is too short', { footer: 30 }, 'its footer is damaged: '],
  ['a footer that is too long', { footer: 90 }, 'its footer is damaged: '],
  ['a footer of 4 GB', { footer: 0xffffffff }, 'its footer is longer than the file: it was probably cut off'],
  // The decoders read the schema too, and their errors end a run.
  [
    'a million columns',
    { children: 1_000_000 },
    'its footer is damaged: the schema has only 2 elements, and states more',
  ],
  [
    'more columns than its root has',
    { elements: [idColumn(REQUIRED), ...wide], children: 1 },
    'its footer is damaged: the element c0 is not in the tree of the schema',
  ],
  ['no column with ids', { elements: wide }, /^it has no column id, only c0, .*, c19 and 980 more$/],
  [
    'columns in columns, 200 deep',
    { elements: [idColumn(REQUIRED), ...deep, idColumn(REQUIRED)], children: 2 },
    'its footer is damaged: the schema has more than 100 levels',
  ],
  ['fewer than no rows', { rows: -5n }, 'its footer is damaged: row group 1 has -5 rows'],
  ['4e18 rows', { rows: 4n * 10n ** 18n }, 'its footer is damaged: row group 1 has 4000000000000000000 rows'],
  [
    'a billion rows',
    { rows: 10n ** 9n },
    '1000000000 rows cannot be read: a column ends before the rows of its row group',
  ],
  [
    'a page that is too short for its values',
    { compressed: 4, uncompressed: 4 },
    'the values of a page need 12 bytes, and it has 4',
  ],
  [
    'the codec LZO',
    { codec: 3 },
    '3 rows cannot be read: the column id has the codec LZO, which is not supported: write',
  ],
  ['an unknown codec', { codec: 99 }, '3 rows cannot be read: the column id has a codec that is not known: write the'],
  ['a page that is longer than its column', { compressed: 4000 }, 'a page of 4000 bytes, or 12 without compression'],
  ['a page of 2 GB', { uncompressed: 2 ** 31 - 1 }, 'a page of 12 bytes, or 2147483647 without compression'],
  ['a page of less than no bytes', { compressed: -5 }, 'a page of -5 bytes'],
  // The list of its values ended the process.
  [
    'two billion missing values',
    { elements: [idColumn(OPTIONAL)], values: 2 ** 31 - 1, rows: 2n ** 31n - 1n },
    'a page has 2147483647 values',
    MISSING,
  ],
  // A page of 1 MB would need 500 GB.
  [
    'texts that repeat those before them',
    { elements: [TEXT_ID], encoding: DELTA_BYTE_ARRAY, values: 1_000_000, rows: 1_000_000n },
    'the values of a page repeat 499999500000 bytes of other values',
    growingTexts(1_000_000),
  ],
  [
    'texts that are longer than their page',
    { elements: [TEXT_ID], encoding: DELTA_LENGTH_BYTE_ARRAY },
    'the values of a page need 1011 bytes, and it has 21',
    textsOfLengths(3, 1000, 0, 10),
  ],
  [
    'texts of two gigabytes',
    { elements: [TEXT_ID], encoding: DELTA_LENGTH_BYTE_ARRAY },
    'the values of a page need 2147483661 bytes, and it has 24',
    textsOfLengths(3, 2 ** 31 - 1, 0, 10),
  ],
  [
    'texts of less than no bytes',
    { elements: [TEXT_ID], encoding: DELTA_LENGTH_BYTE_ARRAY },
    'a page has a value of -1 bytes',
    textsOfLengths(3, 1, -1, 10),
  ],
  [
    'more lengths than values',
    { elements: [TEXT_ID], encoding: DELTA_LENGTH_BYTE_ARRAY },
    'a page has 2147483647 numbers, and states 3',
    Uint8Array.of(128, 1, 4, 255, 255, 255, 255, 7, 2, 0, 0, 0, 0, 0),
  ],
  [
    'texts that repeat more than the one before them has',
    { elements: [TEXT_ID], encoding: DELTA_BYTE_ARRAY },
    'a value repeats 5 bytes of 0',
    Buffer.concat([textsOfLengths(3, 5, 0, 0), textsOfLengths(3, 1, 0, 3)]),
  ],
  ['less than no values', { values: -3 }, 'a page has -3 values'],
])('rejects a file with %s, and reads the next one', async (_, stated, reason, bytes = NUMBERS) => {
  const { json, rejected } = await readDocuments({ paths: [write(bytes, stated)], columns: [] });
  const [first, ...more] = rejected.filter(({ place }) => place.includes('1.parquet'));
  expect(first?.message).toMatch(reason);
  expect(more).toEqual([]);
  expect(json).toContain('{"id":"r0"}');
});
