import { XPathError } from './syntax.ts';

export interface Token {
  /**
   * `name` is a qualified name or a name test with `*`; `operator` is an operator with two operands (including `*` and
   * words); `symbol` is any other character, or a pair of characters.
   */
  readonly type: 'name' | 'number' | 'literal' | 'operator' | 'symbol' | 'end';
  readonly text: string;
  /** The offset in the expression. */
  readonly at: number;
}

const NAME_START =
  ':A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}'.slice(
    1,
  );
const NC_NAME = `[${NAME_START}][${NAME_START}\\-.0-9\\xb7\\u{300}-\\u{36f}\\u{203f}\\u{2040}]*`;
const TOKEN = new RegExp(
  `[ \\t\\r\\n]*(?:(?<number>\\d+(?:\\.\\d*)?|\\.\\d+)|(?<literal>"[^"]*"|'[^']*')|(?<name>${NC_NAME}(?::(?!:)(?:${NC_NAME}|\\*))?)|(?<symbol>//|::|\\.\\.|!=|<=|>=|[()\\[\\].@,/|+\\-=<>*$]))`,
  'uy',
);
const OPERATOR_NAMES = new Set(['and', 'or', 'div', 'mod']);
const OPERATORS = new Set(['|', '+', '-', '=', '!=', '<', '<=', '>', '>=']);
/** After these tokens, and at the beginning, an operand must follow. `*` and operator names are node tests there. */
const OPENING = new Set(['@', '::', '(', '[', ',', '/', '//']);

/** Returns the tokens of an expression. The last token is `end`. Throws `XPathError` for invalid characters. */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  let last: Token | undefined;
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(expression);
    if (match === null) {
      const rest = /[^ \t\r\n]/.exec(expression.slice(from));
      if (rest !== null) throw illegal(rest[0], from + rest.index);
      tokens.push({ type: 'end', text: '', at: expression.length });
      return tokens;
    }
    const { number, literal, name, symbol } = match.groups as Record<string, string | undefined>;
    const text = (number ?? literal ?? name ?? symbol) as string;
    const operand =
      last === undefined || last.type === 'operator' || (last.type === 'symbol' && OPENING.has(last.text));
    last = { type: typeOf(), text, at: TOKEN.lastIndex - text.length };
    tokens.push(last);

    function typeOf(): Token['type'] {
      if (number !== undefined) return 'number';
      if (literal !== undefined) return 'literal';
      if (name !== undefined) return !operand && OPERATOR_NAMES.has(text) ? 'operator' : 'name';
      if (text === '*') return operand ? 'name' : 'operator';
      return OPERATORS.has(text) ? 'operator' : 'symbol';
    }
  }
}

function illegal(character: string, at: number): XPathError {
  const quote = character === '"' || character === "'";
  return new XPathError(
    quote ? `the quote at ${at + 1} is never closed` : `"${character}" at ${at + 1} has no meaning in XPath`,
  );
}
