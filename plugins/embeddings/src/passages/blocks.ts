import { Lexer, type Token, type Tokens } from 'marked';

/** A block of a text, from `start` to `end` (exclusive). */
export type Block = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'heading'; readonly depth: number; readonly title: string }
  /** A comment `<!-- page 2 -->`, as TextExtractor writes it. */
  | { readonly kind: 'page'; readonly number: number }
  /** `pieces` are the starts of the parts between which the block may be divided. `lead` is repeated before each part. */
  | { readonly kind: 'content'; readonly pieces?: readonly number[]; readonly lead?: string }
);

const PAGE = /^<!--\s*page\s+(\d+)\s*-->\s*$/;
/** The end of a paragraph, with the empty lines after it. */
const PARAGRAPH_END = /\n[ \t]*\n\s*/g;
/** The length of a paragraph that the lexer does not get if it failed. */
const LONG_PARAGRAPH = 1_000_000;

/** Returns the paragraphs of a plain text. */
export function textBlocks(text: string): Block[] {
  return paragraphsOf(text).map(([start, end]) => ({ kind: 'content', start, end }));
}

/** Returns the start and the end of each paragraph, with the empty lines after it. */
function paragraphsOf(text: string): (readonly [number, number])[] {
  const ends = Array.from(text.matchAll(PARAGRAPH_END), ({ index, 0: { length } }) => index + length);
  if (ends.at(-1) !== text.length) ends.push(text.length);
  return ends.map((end, i) => [ends[i - 1] ?? 0, end]);
}

/** Returns the blocks of a Markdown text whose lines end with LF. */
export function markdownBlocks(markdown: string): Block[] {
  try {
    return lexedBlocks(markdown, 0);
  } catch (error) {
    // The expressions of the lexer need too much stack for a paragraph of about 8 million characters, such as a log.
    if (!(error instanceof RangeError)) throw error;
  }
  const blocks: Block[] = [];
  let lexed = 0;
  const lexTo = (end: number) => {
    for (const block of lexedBlocks(markdown.slice(lexed, end), lexed)) blocks.push(block);
  };
  for (const [start, end] of paragraphsOf(markdown)) {
    if (end - start <= LONG_PARAGRAPH) continue;
    lexTo(start);
    blocks.push({ kind: 'content', start, end, pieces: lineStarts(markdown.slice(start, end), start) });
    lexed = end;
  }
  lexTo(markdown.length);
  return blocks;
}

/** Returns the blocks of a part of a text that begins at `from`. */
function lexedBlocks(markdown: string, from: number): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (const token of new Lexer().blockTokens(markdown, [])) {
    // The tokens contain the whole text. Only white space may have changed.
    const found = markdown.indexOf(token.raw, start);
    const end = Math.min(markdown.length, (found < 0 ? start : found) + token.raw.length);
    const block = blockOf(token, from + start, from + end);
    if (block !== undefined) blocks.push(block);
    start = end;
  }
  return blocks;
}

function blockOf(token: Token, start: number, end: number): Block | undefined {
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
      return undefined;
    case 'heading':
      return {
        kind: 'heading',
        start,
        end,
        depth: (token as Tokens.Heading).depth,
        title: plain(token.text as string),
      };
    case 'html': {
      const number = PAGE.exec(token.raw)?.[1];
      return number === undefined
        ? { kind: 'content', start, end }
        : { kind: 'page', start, end, number: Number(number) };
    }
    case 'list':
      return {
        kind: 'content',
        start,
        end,
        pieces: startsOf(
          (token as Tokens.List).items.map(({ raw }) => raw),
          start,
        ),
      };
    case 'table': {
      const lines = lineStarts(token.raw, start);
      const lead = token.raw.slice(0, (lines[2] ?? end) - start);
      return { kind: 'content', start, end, pieces: [start, ...lines.slice(3)], lead };
    }
    case 'code':
      return { kind: 'content', start, end, pieces: lineStarts(token.raw, start) };
    default:
      return { kind: 'content', start, end };
  }
}

function startsOf(parts: readonly string[], start: number): number[] {
  let at = start;
  return parts.map(({ length }) => {
    at += length;
    return at - length;
  });
}

function lineStarts(text: string, start: number): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length; ) {
    starts.push(start + at);
    at = text.indexOf('\n', at) + 1 || text.length;
  }
  return starts;
}

/** Returns the text of a heading without Markdown's marks. */
function plain(title: string): string {
  const textOf = (tokens: readonly Token[]): string =>
    tokens
      .map((token) =>
        'tokens' in token && token.tokens !== undefined
          ? textOf(token.tokens)
          : ((token as { text?: string }).text ?? token.raw),
      )
      .join('');
  return textOf(Lexer.lexInline(title)).replace(/\s+/g, ' ').trim();
}
