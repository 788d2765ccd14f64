import type { CharsetDecoder } from './charset-decoder.ts';
import { ebcdicDecoder } from './ebcdic.ts';
import { HzDecoder } from './hz.ts';
import { iconvDecoder } from './iconv-charset.ts';
import { Iso2022CnDecoder } from './iso-2022-cn.ts';
import { Iso2022KrDecoder } from './iso-2022-kr.ts';

export type { CharsetDecoder };

/** Charset names of Java that the Encoding Standard lacks, in lower case without punctuation. */
const JAVA_NAMES: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  unicode11utf8: 'utf-8',
  utf16le: 'utf-16le',
  unicodelittleunmarked: 'utf-16le',
  utf16be: 'utf-16be',
  unicodebigunmarked: 'utf-16be',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  macroman: 'macintosh',
  xmacroman: 'macintosh',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  euccn: 'gbk',
  sjis: 'shift_jis',
  shiftjis: 'shift_jis',
  ms932: 'shift_jis',
  windows31j: 'shift_jis',
  ms936: 'gbk',
  ms949: 'euc-kr',
  ms950: 'big5',
};

/**
 * Returns a decoder for a charset by its Java name, or by a name of the Encoding Standard or iconv-lite. Java names may
 * have any letter case, and aliases such as `ISO8859_1` and `Cp1252` are known. Returns undefined for an unknown name.
 */
export function charsetDecoder(name: string): CharsetDecoder | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plain === 'iso88591' || plain === '88591' || plain === 'latin1' || plain === 'l1') return LATIN_1;
  if (plain === 'usascii' || plain === 'ascii' || plain === 'iso646us') return ASCII;
  if (plain === 'utf16' || plain === 'unicode') return new Utf16Decoder('utf-16be');
  if (plain === 'iso2022kr' || plain === 'csiso2022kr') return new Iso2022KrDecoder();
  if (plain === 'iso2022cn' || plain === 'iso2022cngb' || plain === 'csiso2022cn') return new Iso2022CnDecoder();
  if (plain === 'hz' || plain === 'hzgb2312') return new HzDecoder();
  const label =
    JAVA_NAMES[plain] ?? plain.replace(/^(?:iso)?8859(\d+)$/, 'iso-8859-$1').replace(/^cp(125\d)$/, 'windows-$1');
  return (
    decoderFor(name) ?? decoderFor(label) ?? ebcdicDecoder(name) ?? (plain === '' ? undefined : iconvDecoder(name))
  );
}

/**
 * Returns a decoder for a label of the Encoding Standard (`iso-8859-1` is windows-1252, and UTF-16 without a byte-order
 * mark is little-endian), or else for any name that `charsetDecoder` accepts.
 */
export function labelDecoder(label: string): CharsetDecoder | undefined {
  if (/^\s*utf-?16\s*$/i.test(label)) return new Utf16Decoder('utf-16le');
  return decoderFor(label) ?? charsetDecoder(label);
}

/**
 * Encodings that the platform supports only in part. In `euc-kr` it lacks 8,824 Korean syllables. In `big5` it decodes
 * all kana and 5,000 other characters to private characters. iconv-lite has the tables of the Encoding Standard.
 */
const IN_PART = new Set(['euc-kr', 'big5']);

function decoderFor(label: string): CharsetDecoder | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return IN_PART.has(encoding) ? iconvDecoder(encoding) : new StandardDecoder(encoding);
  } catch {
    return undefined;
  }
}

class StandardDecoder implements CharsetDecoder {
  readonly #decoder: TextDecoder;

  constructor(label: string) {
    this.#decoder = new TextDecoder(label);
  }

  decode(bytes: Uint8Array, more: boolean): string {
    return this.#decoder.decode(bytes, { stream: more });
  }
}

/**
 * Decodes ISO-8859-1, because in the Encoding Standard its names mean windows-1252, which differs from 0x80 to 0x9F.
 */
const LATIN_1: CharsetDecoder = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
};
const ASCII: CharsetDecoder = {
  decode: (bytes, more) => LATIN_1.decode(bytes, more).replace(/[\x80-\xff]/g, '\ufffd'),
};

/** Decodes UTF-16 with an optional byte-order mark. */
class Utf16Decoder implements CharsetDecoder {
  readonly #unmarked: 'utf-16le' | 'utf-16be';
  #decoder: CharsetDecoder | undefined;
  #head = Buffer.alloc(0);

  /** @param unmarked the byte order of a text without a mark */
  constructor(unmarked: 'utf-16le' | 'utf-16be') {
    this.#unmarked = unmarked;
  }

  decode(bytes: Uint8Array, more: boolean): string {
    if (this.#decoder !== undefined) return this.#read(this.#decoder, bytes, more);
    this.#head = Buffer.concat([this.#head, bytes]);
    if (this.#head.length < 2 && more) return '';
    const mark = this.#head.toString('hex', 0, 2);
    this.#decoder = new StandardDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : this.#unmarked);
    return this.#read(this.#decoder, this.#head, more);
  }

  #read(decoder: CharsetDecoder, bytes: Uint8Array, more: boolean): string {
    if (!more) {
      this.#decoder = undefined;
      this.#head = Buffer.alloc(0);
    }
    return decoder.decode(bytes, more);
  }
}
