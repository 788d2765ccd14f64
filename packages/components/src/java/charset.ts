/** Turns bytes into text, piece by piece. Bytes that mean nothing in the charset become U+FFFD. */
export interface CharsetDecoder {
  /** @param more whether more bytes follow: a character may be cut off at the end of these then */
  decode(bytes: Uint8Array, more: boolean): string;
}

/** Names that Java knows and the Encoding Standard does not, in lower case without punctuation. */
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
 * A decoder for a charset by the name that Java has for it (any letter case, aliases such as `ISO8859_1` and `Cp1252`
 * included); undefined when it is not known here.
 */
export function charsetDecoder(name: string): CharsetDecoder | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plain === 'iso88591' || plain === '88591' || plain === 'latin1' || plain === 'l1') return LATIN_1;
  if (plain === 'usascii' || plain === 'ascii' || plain === 'iso646us') return ASCII;
  if (plain === 'utf16' || plain === 'unicode') return new Utf16Decoder();
  const label =
    JAVA_NAMES[plain] ?? plain.replace(/^(?:iso)?8859(\d+)$/, 'iso-8859-$1').replace(/^cp(125\d)$/, 'windows-$1');
  return decoderFor(name) ?? decoderFor(label);
}

function decoderFor(label: string): CharsetDecoder | undefined {
  try {
    return new StandardDecoder(label);
  } catch {
    return undefined;
  }
}

class StandardDecoder implements CharsetDecoder {
  private readonly decoder: TextDecoder;

  constructor(label: string) {
    this.decoder = new TextDecoder(label);
  }

  decode(bytes: Uint8Array, more: boolean): string {
    return this.decoder.decode(bytes, { stream: more });
  }
}

/** In the Encoding Standard these two names mean windows-1252, which has other characters from 0x80 to 0x9F. */
const LATIN_1: CharsetDecoder = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
};
const ASCII: CharsetDecoder = {
  decode: (bytes, more) => LATIN_1.decode(bytes, more).replace(/[\x80-\xff]/g, '\ufffd'),
};

/** UTF-16 whose byte order a mark says; without one it is big-endian. */
class Utf16Decoder implements CharsetDecoder {
  private decoder: CharsetDecoder | undefined;
  private head = Buffer.alloc(0);

  decode(bytes: Uint8Array, more: boolean): string {
    if (this.decoder !== undefined) return this.decoder.decode(bytes, more);
    this.head = Buffer.concat([this.head, bytes]);
    if (this.head.length < 2 && more) return '';
    const little = this.head[0] === 0xff && this.head[1] === 0xfe;
    this.decoder = new StandardDecoder(little ? 'utf-16le' : 'utf-16be');
    return this.decoder.decode(this.head, more);
  }
}
