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
/** Paragraphs of a plain text, with the empty lines after them. */
const PARAGRAPH = /[\s\S]+?(?:\n[ \t]*(?:\n\s*|$)|$)/g;

/** Returns the paragraphs of a plain text. */
export function textBlocks(text: string): Block[] {
  return [...text.matchAll(PARAGRAPH)].map(({ index, 0: { length } }) => ({
    kind: 'content',
    start: index,
    end: index + length,
  }));
}

/** Returns the blocks of a Markdown text whose lines end with LF. */
export function markdownBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (const token of new Lexer().blockTokens(markdown, [])) {
    // The tokens contain the whole text. Only white space may have changed.
    const found = markdown.indexOf(token.raw, start);
    const end = Math.min(markdown.length, (found < 0 ? start : found) + token.raw.length);
    const block = blockOf(token, start, end);
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
  return startsOf(text.match(/[^\n]*\n|[^\n]+$/g) ?? [], start);
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
