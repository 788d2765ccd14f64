import type { TokenProblem } from './token.ts';

/** The result of reading a string in double quotes. */
export interface QuotedString {
  text: string;
  /** The offset after the string. */
  end: number;
  problem?: TokenProblem;
  /** Set if the text of the config ended inside the string. */
  cutOff?: true;
}

const simpleEscapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Reads a string that contains escapes or mistakes. `at` is the offset of its opening quote. */
export function readQuoted(source: string, at: number): QuotedString {
  let text = '';
  let from = at + 1;
  for (let end = from; ; end++) {
    const c = source.charAt(end);
    if (c === '"') return { text: text + source.slice(from, end), end: end + 1 };
    if (c === '\\') {
      const plain = readEscape(source, end);
      if (typeof plain !== 'string') return plain;
      text += source.slice(from, end) + plain;
      end += source.charAt(end + 1) === 'u' ? 5 : 1;
      from = end + 1;
    } else if (c < ' ') return controlCharacter(source, end, c);
  }
}

function controlCharacter(source: string, at: number, c: string): QuotedString {
  if (c === '') return cutOff(source);
  if (c === '\n') {
    const hint = 'write \\n, or use """ for several lines';
    const problem = { code: 'control-character', message: 'a quoted string must end on its line', hint } as const;
    return { text: '', end: at, problem };
  }
  const code = c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const message = `the control character U+${code} must be escaped in a string`;
  return mistake(source, at, { code: 'control-character', message, hint: 'write it with a backslash, such as \\t' });
}

function readEscape(source: string, at: number): string | QuotedString {
  const c = source.charAt(at + 1);
  if (c === '') return cutOff(source);
  if (c === 'u') {
    const digits = source.slice(at + 2, at + 6);
    if (/^[0-9a-fA-F]{4}$/.test(digits)) return String.fromCharCode(Number.parseInt(digits, 16));
    const message = '\\u must be followed by four hexadecimal digits';
    return mistake(source, at, { code: 'bad-escape', message, hint: 'write \\u0041 for A' });
  }
  const hint = 'write \\\\ for a backslash, or use """ for text without escapes';
  return (
    simpleEscapes.get(c) ??
    mistake(source, at, { code: 'bad-escape', message: `\\${c} is not an escape sequence`, hint })
  );
}

function cutOff(source: string): QuotedString {
  const message = 'the text ends inside a quoted string';
  const problem = { code: 'unclosed-string', message, hint: 'close the string with "' } as const;
  return { text: '', end: source.length, problem, cutOff: true };
}

/** Skips the rest of a string with a mistake, so that its text is not read as config. */
function mistake(source: string, at: number, problem: TokenProblem): QuotedString {
  for (let end = at; end < source.length; end++) {
    const c = source.charAt(end);
    if (c === '"') return { text: '', end: end + 1, problem };
    if (c === '\n') return { text: '', end, problem };
    if (c === '\\' && source.charAt(end + 1) !== '\n') end++;
  }
  return { text: '', end: source.length, problem };
}
