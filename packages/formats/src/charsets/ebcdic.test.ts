import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charsetDecoder, ebcdicEncoding } from './index.ts';

/** What the codecs of Python 3.11 and of Java 17 make of all bytes. */
const RECORDED = Object.entries(
  JSON.parse(readFileSync(new URL('./testing/ebcdic.json', import.meta.url), 'utf8')) as Record<string, string>,
);

/** The characters for which Python differs from Java. Python marks undefined bytes of cp875 as U+001A. */
const PYTHON_DIFFERS: Readonly<Record<string, readonly number[]>> = {
  'python cp273': [0xbc],
  'python cp424': [0xb3, 0xbc],
  'python cp875': [0xdc, 0xe1, 0xec, 0xed, 0xfc, 0xfd],
};
const ALL = Uint8Array.from({ length: 256 }, (_, i) => i);

const TEXTS: readonly (readonly [encoding: string, hex: string, text: string])[] = [
  [
    'IBM500',
    'e38885409985a2a340968640a3888540a385a7a36b40899540a3a6964093899585a215c1958440a2964a924f965a25',
    'The rest of the text, in two lines\nAnd so[k!o]\n',
  ],
  [
    'IBM1047',
    '8986404d81ad89bd405a7e4082adf0bd404f4083405f40845d40c0409985a3a4999540a7adf2bd5e40d040615c40a38885409985a2a340968640a3888540a385a7a3405c6115',
    'if (a[i] != b[0] | c ^ d) { return x[2]; } /* the rest of the text */\n',
  ],
  [
    'IBM273',
    'c4859940d799d086828599898388a34086d099408481a240d1818899408595a388c093a34087996aa1859985404a95848599a4958785954b405a8285994084898540c86a8885408595a3a2838885898485a3408481a240c2d099964f15',
    'Der Prüfbericht für das Jahr enthält größere Änderungen. Über die Höhe entscheidet das Büro!\n',
  ],
  [
    'IBM297',
    'd38540998197979699a340819595a48593408140c0a3c0409799c0a28595a3c0407c40937d81a2a285948293c0854087c095c0998193856b40966a409385a240c093d0a585a2409695a340c0a3c0409985e0a4a24b15',
    "Le rapport annuel a été présenté à l'assemblée générale, où les élèves ont été reçus.\n",
  ],
  [
    'IBM424',
    '444648406958715140625440566642404553425169515540426251684045434446544515',
    'דוח שנתי על מצב הכבישים בעיר הגדולה\n',
  ],
  [
    'IBM420',
    '56b163ad75dc754056b177bdcfdc409abd406956b1624056b18f75ad40cf56b16777cf7540abdc4056b1bb73dcbd6215',
    'التقرير السنوي عن حالة الطرق والجسور في المدينة\n',
  ],
];

describe('EBCDIC', () => {
  it.each(RECORDED)('is decoded as in %s', (name, recorded) => {
    const text = charsetDecoder(name.split(' ')[1] as string)?.decode(ALL, false) ?? '';
    const expected = Array.from(recorded);
    // Both bytes end lines. Python and one charset of Java have U+0085 for one of them.
    expected[0x15] = expected[0x25] = '\n';
    const different = [...ALL].filter((byte) => text[byte] !== expected[byte]);
    expect(different).toEqual(PYTHON_DIFFERS[name] ?? []);
  });

  it.each(['IBM037', 'ibm-37', 'Cp037', 'csIBM037', 'ebcdic-cp-us', 'CCSID00037', 'x-IBM037'])(
    'is known by the name %s',
    (name) => expect(charsetDecoder(name)?.decode(Uint8Array.of(0xc8, 0x89, 0x5a), false)).toBe('Hi!'),
  );

  it.each(['IBM36', 'cp99999', 'ebcdic', 'IBM', '37', 'IBM0constructor'])('is not meant by the name %s', (name) => {
    expect(charsetDecoder(name)).toBeUndefined();
  });

  it.each(TEXTS)('is detected: %s', (encoding, hex, text) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(ebcdicEncoding(bytes)).toBe(encoding);
    expect(charsetDecoder(encoding)?.decode(bytes, false)).toBe(text);
  });

  it('is detected in records of fixed length that are filled with blanks', () => {
    const record = Buffer.alloc(80, 0x40);
    record.set(Buffer.from('d1d6c8d540c4d6c540404040f1f2f3f4', 'hex'));
    expect(ebcdicEncoding(Buffer.concat(Array.from({ length: 50 }, () => record)))).toBe('IBM500');
  });

  it('is never detected in ASCII letters with @, which are Hebrew letters and blanks in EBCDIC', () => {
    const letter = fc.constantFrom(...'ABCDEFGHIQRSTUVWXYbcdefghiq@@');
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 16, maxLength: 80 }), (text) => {
        expect(ebcdicEncoding(Buffer.from(text))).toBeUndefined();
      }),
    );
    expect(ebcdicEncoding(Buffer.from('GIT@BITBUCKETHIGH'))).toBeUndefined();
  });

  it('is never detected in UTF-8, ASCII with many @, Latin-1, UTF-16 and empty files', () => {
    const encodings = ['utf8', 'latin1', 'utf16le'] as const;
    const units = ['@', '@@', 'a', 'Z', '0', 'é', '漢', '\n', ' ', 'ا', 'я', 'ת'];
    const text = fc.string({ unit: fc.constantFrom(...units), minLength: 0, maxLength: 200 });
    fc.assert(
      fc.property(text, fc.constantFrom(...encodings), (text, encoding) => {
        expect(ebcdicEncoding(Buffer.from(text, encoding))).toBeUndefined();
      }),
    );
  });
});
