import { labelDecoder } from '@headrace/formats/charsets';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { SourceText, type SourceTextOptions } from './source-text.ts';

/** Yields pieces that share memory, as the pieces of files do. */
async function* inPieces(bytes: Uint8Array, sizes: readonly number[]) {
  const memory = Buffer.alloc(Math.max(...sizes));
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] as number;
    const piece = bytes.subarray(at, at + size);
    memory.fill(0xee);
    memory.set(piece);
    yield memory.subarray(0, piece.length);
    at += size;
  }
}

async function read(
  bytes: Uint8Array,
  encoding: string,
  sizes = [bytes.length + 1],
  more?: Partial<SourceTextOptions>,
) {
  const guesses: string[] = [];
  const file = { path: 'in', name: 'in', bytes: inPieces(bytes, sizes) };
  const onGuess = (guess: string) => guesses.push(guess);
  const text = new SourceText(file, { encoding, names: 'standard', onGuess, ...more });
  const parts: Buffer[] = [];
  for await (const part of text.bytes()) parts.push(Buffer.from(part));
  return { text: Buffer.concat(parts).toString(), encoding: text.encoding, guesses };
}

/** The text "한국어, a" on two lines in ISO-2022-KR, recorded from Python's codec. */
const ISO_2022_KR = Buffer.from('\x1b$)C\x0eGQ19>n\x0f, a\n\x0eGQ19>n\x0f, a\n', 'latin1');

const ENCODINGS = [
  'utf-16',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-7',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'big5',
  'gb18030',
  'iso-2022-jp',
  'iso-2022-kr',
  'iso-2022-cn',
  'hz',
  'ibm037',
  'cp850',
  'utf-32le',
];
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  // Byte sequences that are valid in one of the encodings.
  fc
    .array(
      fc.constantFrom(
        'a',
        '\n',
        '\x1b$B',
        '\x1b(B',
        '\x0e',
        '\x0f',
        '\x82\xa0',
        '\x83',
        '\xd8\x3d',
        '\x3d\xd8',
        '\xe9',
        '\0',
      ),
      { maxLength: 20 },
    )
    .map((parts) => Buffer.from(parts.join(''), 'latin1')),
);

describe('SourceText', () => {
  it.each(ENCODINGS)('decodes %s correctly for any cut of the bytes', async (encoding) => {
    await fc.assert(
      fc.asyncProperty(anyBytes, sizes, async (bytes, sizes) => {
        const whole = labelDecoder(encoding)?.decode(bytes, false) ?? '';
        expect((await read(bytes, encoding, sizes)).text).toBe(Buffer.from(whole).toString());
      }),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it.each(ENCODINGS.filter((encoding) => iconv.encodingExists(encoding)))(
    'decodes text that was encoded in %s',
    async (encoding) => {
      const text = fc.string({ unit: fc.constantFrom('a', ',', '\n', 'é', 'Ω', 'あ', '漢', '한', '\u{1f600}', '€') });
      await fc.assert(
        fc.asyncProperty(text, sizes, async (text, sizes) => {
          const known = [...text]
            .filter((char) => iconv.decode(iconv.encode(char, encoding), encoding) === char)
            .join('');
          const bytes = iconv.encode(known, encoding);
          expect((await read(bytes, encoding, sizes)).text).toBe(known);
        }),
        { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
      );
    },
  );

  it('detects the same encoding and text with auto for any cut of the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyBytes,
          fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
        ),
        sizes,
        async (bytes, sizes) => {
          expect(await read(bytes, 'auto', sizes)).toEqual(await read(bytes, 'auto'));
        },
      ),
      { numRuns: 3 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  const german = `${'plain text\n'.repeat(20_000)}Größe,weiß,schöne Füße für alle\n`;
  const japanese = '名前,東京\nこれは日本語のテキストです。これはテストです。\n';
  const russian = 'имя,город\nПривет, как дела? Это обычный русский текст.\n';
  const korean = '이름,서울\n한국어 텍스트입니다, 안녕하세요\n';
  it.each([
    ['utf-8', german, 'UTF-8'],
    ['utf-8', japanese, 'UTF-8'],
    ['windows-1252', german, 'windows-1252'],
    ['windows-1252', 'é', 'windows-1252'],
    ['shift_jis', japanese, 'shift_jis'],
    ['euc-jp', japanese, 'euc-jp'],
    ['euc-kr', korean, 'euc-kr'],
    ['gb18030', '姓名,城市\n中文文本测试,这是一个例子\n', 'gb18030'],
    ['big5', '姓名,城市\n繁體中文測試,這是一個例子\n', 'big5'],
    ['windows-1251', russian, 'windows-1251'],
    ['koi8-r', russian, 'koi8-r'],
    ['utf-16le', 'id,name\n1,Zoë\n', 'utf-16le'],
    ['utf-16be', 'id,name\n1,Zoë\n', 'utf-16be'],
  ])('detects text in %s with auto', async (encoding, text, expected) => {
    for (const size of [7, 1000, 1_000_000]) {
      const found = await read(iconv.encode(text, encoding), 'auto', [size]);
      expect([found.text, found.encoding]).toEqual([text, expected]);
      expect(found.guesses).toHaveLength(/^utf/i.test(expected) ? 0 : 1);
    }
  });

  const word = fc.string({ unit: fc.constantFrom('ä', 'é', 'ß', 'œ', '€', 'Ω', 'я', '漢', '\u{1f600}', 'a', ' ') });
  it('detects UTF-8 with auto if at most a quarter of the non-ASCII sequences are invalid', async () => {
    const lone = fc.constantFrom(0x80, 0x93, 0xa0, 0xbf, 0xc0, 0xf5, 0xff);
    const broken = fc.array(fc.tuple(word, lone), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(broken, sizes, async (parts, sizes) => {
        // An ASCII character on both sides of each invalid byte makes it a separate sequence.
        const pieces = parts.flatMap(([text, byte]) => [Buffer.from(`${text}äöü.`), Buffer.from([byte, 0x2e])]);
        const bytes = Buffer.concat(pieces);
        const found = await read(bytes, 'auto', sizes);
        expect(found).toEqual({ text: bytes.toString(), encoding: 'UTF-8', guesses: [] });
      }),
    );
  });

  it('never detects windows-1252 text of Western European words as UTF-8 with auto', async () => {
    const letters = fc.constantFrom('ä', 'ö', 'ü', 'ß', 'é', 'è', 'à', 'ç', 'ñ', 'ø', 'å', 'Ä', 'É', 'Ø');
    const words = fc.array(fc.tuple(letters, fc.constantFrom('n', 't', ' ', '.', '\n')), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(words, async (words) => {
        const { encoding } = await read(iconv.encode(words.flat().join(''), 'windows-1252'), 'auto');
        expect(encoding).not.toBe('UTF-8');
      }),
    );
  });

  it.each([
    ['utf-8', 'efbbbf'],
    ['utf-16le', 'fffe'],
    ['utf-16be', 'feff'],
    ['utf-32le', 'fffe0000'],
    ['utf-32be', '0000feff'],
  ])('uses the byte-order mark of %s with auto and removes it', async (encoding, mark) => {
    const bytes = Buffer.concat([Buffer.from(mark, 'hex'), iconv.encode('é,\u{1f600}\n', encoding, { addBOM: false })]);
    for (const size of [1, 3, 100]) {
      expect(await read(bytes, 'auto', [size])).toMatchObject({ text: 'é,\u{1f600}\n', guesses: [] });
    }
  });

  it('reads ISO-2022-KR, which neither the platform nor iconv-lite supports', async () => {
    for (const encoding of ['ISO-2022-KR', 'csISO2022KR', 'auto']) {
      for (const size of [1, 3, 100]) {
        expect((await read(ISO_2022_KR, encoding, [size])).text).toBe('한국어, a\n한국어, a\n');
      }
    }
  });

  it('reads EBCDIC by its name and with auto', async () => {
    // "id,name" and "1,Der Prüfbericht" in code page 273, recorded from Python's codec.
    const bytes = Buffer.from('89846b9581948515f16bc4859940d799d086828599898388a315', 'hex');
    for (const encoding of ['IBM273', 'cp273', 'auto']) {
      for (const size of [1, 5, 100]) {
        const { text, guesses } = await read(bytes, encoding, [size]);
        expect([text, guesses]).toEqual(['id,name\n1,Der Prüfbericht\n', []]);
      }
    }
  });

  it('reads Korean and Chinese characters that the platform does not support', async () => {
    expect((await read(Buffer.from('8c63', 'hex'), 'euc-kr')).text).toBe('똠');
    expect((await read(Buffer.from('8c63', 'hex'), 'MS949', [1], { names: 'java' })).text).toBe('똠');
    expect((await read(Buffer.from('c6e7', 'hex'), 'big5', [1])).text).toBe('ぁ');
  });

  it('resolves labels by the Encoding Standard or by the names of Java', async () => {
    const bytes = Buffer.from([0x80]);
    expect((await read(bytes, 'ISO-8859-1')).text).toBe('€');
    expect((await read(bytes, 'ISO-8859-1', [1], { names: 'java' })).text).toBe('\x80');
    expect((await read(Buffer.from('é', 'utf16le'), 'utf-16')).text).toBe('é');
    expect((await read(Buffer.from([0x82]), 'cp850')).text).toBe('é');
    await expect(read(bytes, 'klingon')).rejects.toThrow('The encoding "klingon" is not known');
  });

  it('closes the file if its reader stops early', async () => {
    let closed = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.from('é');
      } finally {
        closed = true;
      }
    }
    const text = new SourceText({ path: 'in', name: 'in', bytes: endless() }, { encoding: 'auto', names: 'standard' });
    for await (const _ of text.bytes()) break;
    expect(closed).toBe(true);
  });
});
