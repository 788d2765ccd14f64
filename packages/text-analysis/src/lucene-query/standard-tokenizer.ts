const OTHER = 1;
const LETTER = 2;
const HEBREW = 3;
const NUMBER = 4;
const KATAKANA = 5;
const CONNECTOR = 6;
const SINGLE = 7;
const SOUTH_EAST_ASIAN = 8;
const EXTENDS = 9;
const MID_LETTER = 10;
const MID_NUMBER = 11;
const MID_BOTH = 12;
const SINGLE_QUOTE = 13;
const DOUBLE_QUOTE = 14;

/**
 * The kinds of characters by Unicode's word boundaries (UAX 29). The first match counts. Scripts define data that the
 * standard lacks.
 */
const KINDS: readonly (readonly [RegExp, number])[] = [
  [/^[\p{M}\p{Cf}\u200d]$/u, EXTENDS],
  [/^[\p{Script=Han}\p{Script=Hiragana}]$/u, SINGLE],
  [/^[\p{Script=Katakana}\u3031-\u3035\u309b\u309c\u30a0\u30fc\uff70]$/u, KATAKANA],
  [
    /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}]$/u,
    SOUTH_EAST_ASIAN,
  ],
  [/^(?=\p{Script=Hebrew})\p{L}$/u, HEBREW],
  [/^\p{Nd}$/u, NUMBER],
  [/^[\p{Pc}\u202f]$/u, CONNECTOR],
  [/^[:\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a]$/u, MID_LETTER],
  [/^[,;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b]$/u, MID_NUMBER],
  [/^[.\u2018\u2019\u2024\ufe52\uff07\uff0e]$/u, MID_BOTH],
  [/^'$/u, SINGLE_QUOTE],
  [/^"$/u, DOUBLE_QUOTE],
  [/^\p{Alphabetic}$/u, LETTER],
];

const EMOJI = /\p{RGI_Emoji}/vy;
const MAX_TOKEN = 255;

const kinds = new Uint8Array(0x10000);

/**
 * Returns the words of a text as Lucene's StandardTokenizer finds them. Words are runs of letters and digits (with
 * apostrophes, full stops and colons inside), single ideographs and Hiragana, runs of Katakana, Hangul and the scripts
 * of South-East Asia, and emoji. A word of more than 255 units is cut into pieces.
 */
export function standardTokens(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    const end = startsWord(kind) ? wordEnd(text, at, kind) : emojiEnd(text, at);
    if (end === at) {
      at += widthAt(text, at);
      continue;
    }
    for (let start = at; start < end; start += MAX_TOKEN)
      tokens.push(text.slice(start, Math.min(start + MAX_TOKEN, end)));
    at = end;
  }
  return tokens;
}

/** Returns the end of the word at a position, or the position itself if there are only connectors. */
function wordEnd(text: string, start: number, first: number): number {
  let hasCore = first !== CONNECTOR;
  let before = first;
  let end = behindExtensions(text, start + widthAt(text, start));
  while (end < text.length) {
    const kind = kindAt(text, end);
    const next = behindExtensions(text, end + widthAt(text, end));
    if (joins(before, kind)) {
      hasCore ||= kind !== CONNECTOR;
      before = kind;
      end = next;
      continue;
    }
    const after = next < text.length ? kindAt(text, next) : OTHER;
    if (!bridges(before, kind, after)) {
      // An apostrophe belongs to the Hebrew letter before it.
      if (before === HEBREW && kind === SINGLE_QUOTE) end = next;
      break;
    }
    before = after;
    end = behindExtensions(text, next + widthAt(text, next));
  }
  return hasCore ? end : start;
}

function startsWord(kind: number): boolean {
  return kind >= LETTER && kind <= SOUTH_EAST_ASIAN;
}

function isLetter(kind: number): boolean {
  return kind === LETTER || kind === HEBREW;
}

/** Returns whether there is no boundary between two kinds of characters. */
function joins(a: number, b: number): boolean {
  if (a === SOUTH_EAST_ASIAN || a === SINGLE) return a === b && a === SOUTH_EAST_ASIAN;
  if (a === KATAKANA) return b === KATAKANA || b === CONNECTOR;
  if (b === KATAKANA) return a === CONNECTOR;
  return isLetter(b) || b === NUMBER || b === CONNECTOR;
}

/** Returns whether a character between two others joins them to one word. */
function bridges(before: number, between: number, after: number): boolean {
  if (isLetter(before) && isLetter(after)) {
    if (between === DOUBLE_QUOTE) return before === HEBREW && after === HEBREW;
    return between === MID_LETTER || between === MID_BOTH || between === SINGLE_QUOTE;
  }
  if (before !== NUMBER || after !== NUMBER) return false;
  return between === MID_NUMBER || between === MID_BOTH || between === SINGLE_QUOTE;
}

function behindExtensions(text: string, at: number): number {
  while (at < text.length && kindAt(text, at) === EXTENDS) at += widthAt(text, at);
  return at;
}

function emojiEnd(text: string, at: number): number {
  // An ASCII character is an emoji only before certain characters.
  if (text.charCodeAt(at) < 0x80) return at;
  EMOJI.lastIndex = at;
  return EMOJI.test(text) ? EMOJI.lastIndex : at;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

function kindAt(text: string, at: number): number {
  const codePoint = text.codePointAt(at) as number;
  if (codePoint > 0xffff) return kindOf(codePoint);
  if (kinds[codePoint] === 0) kinds[codePoint] = kindOf(codePoint);
  return kinds[codePoint] as number;
}

function kindOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  return KINDS.find(([pattern]) => pattern.test(character))?.[1] ?? OTHER;
}
