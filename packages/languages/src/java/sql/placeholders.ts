/** The rules of quoting that differ between databases. */
export interface SqlDialect {
  /** Returns the text for the n-th parameter, counted from 1. If undefined, `?` does not change. */
  readonly placeholder: ((n: number) => string) | undefined;
  /** True if a quote after a backslash does not end a text. */
  readonly backslashes: boolean;
  /**
   * True for the syntax of PostgreSQL: `$tag$ … $tag$` encloses a text, `E'…'` has backslashes, comments nest, and `??`
   * is the operator `?`.
   */
  readonly postgres: boolean;
  /** True if `[…]` encloses a name. */
  readonly brackets: boolean;
  /** True if `#` begins a comment. */
  readonly hashComments: boolean;
}

/** A statement with the placeholders of its database. */
export interface PreparedSql {
  readonly text: string;
  /** The number of placeholders. */
  readonly parameters: number;
}

/** Finds the `?` of a statement that are placeholders: those outside texts, quoted names and comments. */
export function prepareSql(sql: string, dialect: SqlDialect): PreparedSql {
  let text = '';
  let from = 0;
  let parameters = 0;
  for (let i = 0; i < sql.length; ) {
    const end = skipQuoted(sql, i, dialect);
    if (end > i) {
      i = end;
      continue;
    }
    if (sql[i] === '?') {
      if (dialect.postgres && sql[i + 1] === '?') {
        text += sql.slice(from, i + 1);
        i += 2;
        from = i;
        continue;
      }
      parameters++;
      if (dialect.placeholder !== undefined) {
        text += sql.slice(from, i) + dialect.placeholder(parameters);
        from = i + 1;
      }
    }
    i++;
  }
  return { text: text + sql.slice(from), parameters };
}

/** Returns the end of a text, quoted name or comment that begins at `at`, or `at` itself if none begins there. */
function skipQuoted(sql: string, at: number, dialect: SqlDialect): number {
  switch (sql[at]) {
    case "'":
      return quoted(sql, at, "'", dialect.backslashes || (dialect.postgres && isEscapeString(sql, at)));
    case '"':
      return quoted(sql, at, '"', dialect.backslashes);
    case '`':
      return quoted(sql, at, '`', false);
    case '[':
      return dialect.brackets ? quoted(sql, at, ']', false) : at;
    case '-':
      return sql[at + 1] === '-' ? lineEnd(sql, at) : at;
    case '#':
      return dialect.hashComments ? lineEnd(sql, at) : at;
    case '/':
      return sql[at + 1] === '*' ? commentEnd(sql, at, dialect.postgres) : at;
    case '$':
      return dialect.postgres ? dollarQuoted(sql, at) : at;
    default:
      return at;
  }
}

/** Returns the position after the closing quote. A doubled quote does not close. */
function quoted(sql: string, at: number, close: string, backslashes: boolean): number {
  for (let i = at + 1; i < sql.length; i++) {
    if (backslashes && sql[i] === '\\') i++;
    else if (sql[i] === close) {
      if (sql[i + 1] !== close) return i + 1;
      i++;
    }
  }
  return sql.length;
}

/** Returns whether the quote belongs to `E'…'`. */
function isEscapeString(sql: string, at: number): boolean {
  return /^[eE]$/.test(sql[at - 1] ?? '') && !/[\w$]/.test(sql[at - 2] ?? ' ');
}

function lineEnd(sql: string, at: number): number {
  const end = sql.indexOf('\n', at);
  return end < 0 ? sql.length : end + 1;
}

function commentEnd(sql: string, at: number, nested: boolean): number {
  let depth = 1;
  for (let i = at + 2; i < sql.length; i++) {
    if (sql[i] === '*' && sql[i + 1] === '/') {
      i++;
      if (--depth === 0) return i + 1;
    } else if (nested && sql[i] === '/' && sql[i + 1] === '*') {
      i++;
      depth++;
    }
  }
  return sql.length;
}

const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

function dollarQuoted(sql: string, at: number): number {
  // Inside a name, or after the number of a parameter, a dollar sign is an ordinary character.
  if (/[\w$\u0080-\uffff]/.test(sql[at - 1] ?? ' ')) return at;
  DOLLAR_TAG.lastIndex = at;
  const tag = DOLLAR_TAG.exec(sql)?.[0];
  if (tag === undefined) return at;
  const end = sql.indexOf(tag, at + tag.length);
  return end < 0 ? sql.length : end + tag.length;
}
