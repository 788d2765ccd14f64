import type { CharsetDecoder } from './charset-decoder.ts';
import { CODE_PAGE_37, CODE_PAGES } from './ebcdic-tables.ts';

/** The names of RFC 1345, which XML declarations use, without punctuation. */
const NAMES: Readonly<Record<string, number>> = {
  ebcdiccpus: 37,
  ebcdiccpca: 37,
  ebcdiccpnl: 37,
  ebcdiccpwt: 37,
  ebcdiccpbe: 500,
  ebcdiccpch: 500,
  ebcdicinternational: 500,
  ebcdiccpdk: 277,
  ebcdiccpno: 277,
  ebcdiccpfi: 278,
  ebcdiccpse: 278,
  ebcdiccpit: 280,
  ebcdiccpes: 284,
  ebcdiccpgb: 285,
  ebcdiccpfr: 297,
  ebcdiccpar1: 420,
  ebcdiccphe: 424,
  ebcdiccproece: 870,
  ebcdiccpyu: 870,
  ebcdiccpis: 871,
  ebcdiccpar2: 918,
  ibmthai: 838,
};

const decoders = new Map<number, CharsetDecoder>();

/**
 * Returns a decoder for an EBCDIC code page by a name such as `IBM037`, `cp500`, `IBM01140` or `ebcdic-cp-us`, in any
 * letter case. Returns undefined for other names.
 */
export function ebcdicDecoder(name: string): CharsetDecoder | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const [, digits] = /^(?:cs|x)?(?:cp|ibm|cpibm|ccsid)0*(\d{2,4})$/.exec(plain) ?? [];
  const page = digits === undefined ? NAMES[plain.replace(/^cs/, '')] : Number(digits);
  if (page === undefined || !(page === 37 || Object.hasOwn(CODE_PAGES, page))) return undefined;
  return decoders.getOrInsertComputed(page, () => decoderOf(charactersOf(page)));
}

function charactersOf(page: number): string[] {
  const [base, differences] = CODE_PAGES[page] ?? [];
  if (base === undefined || differences === undefined) return [...CODE_PAGE_37];
  const characters = charactersOf(base);
  for (const difference of differences.split(' ')) {
    const first = Number.parseInt(difference.slice(0, 2), 16);
    for (const [i, character] of [...difference.slice(2)].entries()) characters[first + i] = character;
  }
  return characters;
}

/** The bytes are converted to UTF-16 first, because adding to a text for each byte takes several times as long. */
function decoderOf(characters: readonly string[]): CharsetDecoder {
  const units = Uint16Array.from(characters, (character) => character.charCodeAt(0));
  return {
    decode(bytes) {
      const text = new Uint16Array(bytes.length);
      for (let i = 0; i < bytes.length; i++) text[i] = units[bytes[i] as number] as number;
      return Buffer.from(text.buffer).toString('utf16le');
    },
  };
}
