import { Lexer } from '../lexing/lexer.ts';
import { Token, type TokenKind } from '../lexing/token.ts';
import type { BracketRepairs } from '../parsing/bracket-repairs.ts';
import { findRepairs } from '../parsing/bracket-repairs.ts';
import { checkText } from '../tree/arguments.ts';
import { SyntaxBuilder } from './syntax-builder.ts';
import type { ScalarSyntax, Span, SyntaxTree } from './syntax-tree.ts';

/**
 * Returns the positions of everything that is written in a HOCON or JSON text. Never throws because of the text: a text
 * with mistakes, such as an unfinished one, has a tree too. Missing brackets are assumed at the positions at which
 * {@link parse} assumes them. Values are not resolved and includes are not read.
 * @throws ArgumentError for a text that is not a string
 */
export function parseSyntax(text: string): SyntaxTree {
  checkText(text, 'the text');
  const first = build(text, undefined);
  return first.balanced ? first : { ...build(text, findRepairs(text, false)), balanced: false };
}

const KINDS: Partial<Record<TokenKind, ScalarSyntax['kind']>> = {
  [Token.string]: 'string',
  [Token.unquoted]: 'unquoted',
  [Token.number]: 'number',
  [Token.true]: 'boolean',
  [Token.false]: 'boolean',
  [Token.null]: 'null',
  [Token.substitution]: 'substitution',
};

function build(text: string, repairs: BracketRepairs | undefined): SyntaxTree {
  const lexer = new Lexer(text, false, repairs?.stringEnds);
  const builder = new SyntaxBuilder(text);
  const comments: Span[] = [];
  let isFirst = true;
  let hasMistakes = false;
  for (;;) {
    lexer.next();
    const { kind, spaceStart } = lexer;
    // An unclosed string ends at its probable end.
    const end = lexer.position().at;
    // An unclosed string is reported at another position.
    const start = kind === Token.problem ? skipSpace(text, spaceStart) : lexer.start;
    if (start > spaceStart) addComment(text, spaceStart, start, comments);
    if (kind === Token.end) break;
    if (kind === Token.newline) {
      builder.newline();
      continue;
    }
    if (isFirst && kind !== Token.openCurly && kind !== Token.openSquare) builder.startBare();
    else if (!isFirst && builder.isDone) builder.reopen();
    isFirst = false;
    for (let closes = repairs?.closes.get(start) ?? 0; closes > 0 && builder.depth > 0; closes--) {
      builder.closeEarly(spaceStart);
    }
    const isClose = kind === Token.closeCurly || kind === Token.closeSquare;
    if (isClose && repairs?.strays.has(start)) continue;
    if (kind === Token.openCurly) builder.open('object', start);
    else if (kind === Token.openSquare) builder.open('list', start);
    else if (isClose) {
      const isObject = (kind === Token.closeCurly) !== (repairs?.swaps.has(start) ?? false);
      builder.close(isObject ? 'object' : 'list', start);
    } else if (kind === Token.comma) builder.comma();
    else if (kind === Token.equals || kind === Token.colon || kind === Token.plusEquals) {
      builder.separator(start, end, kind === Token.plusEquals);
    } else {
      const scalarKind = KINDS[kind] ?? 'mistake';
      if (lexer.cutOff || lexer.hasGaps) hasMistakes = true;
      const written = kind === Token.problem || kind === Token.substitution ? text.slice(start, end) : lexer.text;
      builder.scalar({ kind: scalarKind, from: start, to: end, text: written });
    }
  }
  if (isFirst) builder.startBare();
  builder.end(text.length);
  return { text, root: builder.root, comments, balanced: !builder.isUnbalanced && !hasMistakes };
}

const SPACE = /\s*/y;

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

/** Adds the comment between two tokens. There is at most one, because a line break is a token. */
function addComment(text: string, from: number, to: number, comments: Span[]): void {
  const written = text.slice(from, to);
  const comment = written.trimStart();
  if (comment === '' || !/^(?:#|\/\/)/.test(comment)) return;
  const start = to - comment.length;
  comments.push({ from: start, to: start + comment.trimEnd().length });
}
