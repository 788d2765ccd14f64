import { Token } from '../lexing/token.ts';
import type { Cursor } from './cursor.ts';

/** An include statement such as `include "x"` or `include file("x")`. */
export interface IncludeStatement {
  form: 'relative' | 'file' | 'url' | 'classpath';
  name: string;
  required: boolean;
}

const HINT = 'write include "name", include file("name") or include required("name")';

/** Reads the text after the word `include`. Returns undefined if it is invalid and reported. */
export function readInclude(cursor: Cursor): IncludeStatement | undefined {
  const { lexer } = cursor;
  const currentWord = () => (lexer.kind === Token.unquoted ? lexer.text : '');
  cursor.advancePastNewlines();
  let word = currentWord();
  let required = false;
  if (word.startsWith('required(')) {
    required = true;
    word = word.slice('required('.length);
    if (word === '') {
      cursor.advancePastNewlines();
      word = currentWord();
    }
  }
  let form: IncludeStatement['form'] = 'relative';
  if (word !== '') {
    const match = /^(url|file|classpath)\($/.exec(word);
    if (match === null) return refuse(cursor, `"${word}" is not a kind of include`);
    form = match[1] as IncludeStatement['form'];
    cursor.advancePastNewlines();
  }
  if (lexer.kind !== Token.string)
    return refuse(cursor, `expected a quoted name after include, but found ${cursor.found()}`);
  const name = lexer.text;
  const closers = (form === 'relative' ? 0 : 1) + (required ? 1 : 0);
  if (closers === 0) lexer.next();
  for (let left = closers; left > 0; ) {
    cursor.advancePastNewlines();
    const parens = /^\)+$/.exec(currentWord())?.[0].length ?? 0;
    if (parens === 0 || parens > left) return refuse(cursor, `expected ) but found ${cursor.found()}`);
    left -= parens;
    if (left === 0) lexer.next();
  }
  return { form, name, required };
}

function refuse(cursor: Cursor, message: string): undefined {
  cursor.report('bad-include', message, HINT);
  return undefined;
}
