/** The position of a token in its text: of its first character, and after its last one. White space does not count. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How the tokens of a model write the text. */
export interface TokenForm {
  /** The normalizer of the tokenizer, such as lower case without accents. */
  readonly normalize: (text: string) => string;
  /** Whether each character of a token is a byte, as in GPT-2 and RoBERTa. */
  readonly isByteLevel: boolean;
  /** The start of a token that continues a word, such as ##. */
  readonly continuation: string;
  /** The end of a token that ends a word, such as </w>. */
  readonly ending: string;
  /** The token for words that the model does not know. */
  readonly unknown: string;
}

/** What tokens write for the text: one character of a token at a time, with its position in the text. */
interface Written {
  readonly text: string;
  /** The positions of each UTF-16 unit of `text`, and whether a word begins there. */
  readonly starts: number[];
  readonly ends: number[];
  readonly begins: boolean[];
}

/** The sign of SentencePiece for a blank. */
const BLANKS = /[\s\u2581]+/gu;
/** A character with the accents that follow it. */
const WITH_MARKS = /.\p{M}*/gsu;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/u;
/** How far a token may be from the place where it is expected. */
const REACH = 200;

/**
 * Finds the tokens of a text in the text. The tokenizer does not return their positions, so this function writes the
 * text as the tokens do, one character at a time, and looks for one token after the other. A token that is not found is
 * empty, at the end of the token before.
 */
export function tokenSpans(text: string, tokens: readonly string[], form: TokenForm): Span[] {
  const written = form.isByteLevel ? writeBytes(text, form) : writeCharacters(text, form);
  let at = 0;
  return tokens.map((token, i) => {
    const isUnknown = token === form.unknown;
    const found = isUnknown ? -1 : find(written.text, surfaceOf(token, form), at);
    const from = found < 0 ? at : found;
    const to = isUnknown
      ? endOfUnknown(written, from, tokens[i + 1], form)
      : found < 0
        ? at
        : found + surfaceOf(token, form).length;
    at = to;
    if (to > from) return trimmed(text, written.starts[from] as number, written.ends[to - 1] as number);
    const end = written.ends[to - 1] ?? 0;
    return { start: end, end };
  });
}

/** Returns where a token is, from a position on; -1 if it is not near. */
function find(written: string, surface: string, at: number): number {
  if (surface === '') return -1;
  if (written.startsWith(surface, at)) return at;
  const found = written.slice(at, at + REACH + surface.length).indexOf(surface);
  return found < 0 ? -1 : at + found;
}

/** A token for an unknown word ends where the next word begins, or where the next token is. */
function endOfUnknown({ text, begins }: Written, from: number, next: string | undefined, form: TokenForm): number {
  if (form.continuation !== '' || next === undefined || next === form.unknown) {
    let end = from + 1;
    while (end < text.length && begins[end] !== true) end++;
    return Math.min(end, text.length);
  }
  const found = find(text, surfaceOf(next, form), from + 1);
  return found < 0 ? Math.min(from + 1, text.length) : found;
}

function surfaceOf(token: string, { isByteLevel, continuation, ending }: TokenForm): string {
  let surface = token;
  if (continuation !== '' && surface.startsWith(continuation)) surface = surface.slice(continuation.length);
  if (ending !== '' && surface.endsWith(ending)) surface = surface.slice(0, -ending.length);
  return isByteLevel
    ? Array.from(surface, (sign) => (BYTE_BLANKS.includes(sign) ? '' : sign)).join('')
    : surface.replaceAll(BLANKS, '');
}

/** Yields the characters of a text, each with what the normalizer makes of it. */
function* normalCharacters(text: string, normalize: (text: string) => string): Iterable<[string, string]> {
  const known = new Map<string, string>();
  const normal = (part: string): string => {
    const found = known.get(part);
    if (found !== undefined) return found;
    const result = normalize(part);
    known.set(part, result);
    return result;
  };
  for (const [unit] of text.matchAll(WITH_MARKS)) {
    const characters = Array.from(unit, (character): [string, string] => [character, normal(character)]);
    const isSame = characters.length === 1 || normal(unit) === characters.map(([, written]) => written).join('');
    // A normalizer may make one character of a letter and its accent.
    if (isSame) yield* characters;
    else yield [unit, normal(unit)];
  }
}

function writeCharacters(text: string, { normalize }: TokenForm): Written {
  const pieces: string[] = [];
  const written: Written = { text: '', starts: [], ends: [], begins: [] };
  let begins = true;
  let at = 0;
  for (const [character, normal] of normalCharacters(text, normalize)) {
    const visible = normal.replaceAll(BLANKS, '');
    const isAlone = PUNCTUATION.test(visible) || (visible !== '' && /^\s.*\s$/su.test(normal));
    if (/^[\s\u2581]+$/u.test(character) || isAlone) begins = true;
    for (let i = 0; i < visible.length; i++) {
      written.starts.push(at);
      written.ends.push(at + character.length);
      written.begins.push(begins);
      begins = false;
    }
    if (isAlone) begins = true;
    pieces.push(visible);
    at += character.length;
  }
  return { ...written, text: pieces.join('') };
}

function writeBytes(text: string, { normalize }: TokenForm): Written {
  const encoder = new TextEncoder();
  const pieces: string[] = [];
  const written: Written = { text: '', starts: [], ends: [], begins: [] };
  let at = 0;
  for (const [character, normal] of normalCharacters(text, normalize)) {
    for (const byte of encoder.encode(normal)) {
      const sign = BYTE_SIGNS[byte] as string;
      if (BYTE_BLANKS.includes(sign)) continue;
      pieces.push(sign);
      written.starts.push(at);
      written.ends.push(at + character.length);
      written.begins.push(false);
    }
    at += character.length;
  }
  return { ...written, text: pieces.join('') };
}

/** Returns a part of the text without the white space around it, such as that of characters in several bytes. */
function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end);
  const blank = part.length - part.trimStart().length;
  return blank === part.length ? { start: end, end } : { start: start + blank, end: start + part.trimEnd().length };
}

/** The characters that GPT-2 writes for bytes: printable ones unchanged, the others from U+0100 on. */
const BYTE_SIGNS = byteSigns();
/** The signs of blank, tab, line feed, vertical tab, form feed and carriage return. */
const BYTE_BLANKS = '\u0120\u0109\u010a\u010b\u010c\u010d';

function byteSigns(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(isPrintable ? byte : next++);
  });
}
