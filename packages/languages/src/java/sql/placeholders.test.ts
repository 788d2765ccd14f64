import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareSql, type SqlDialect } from './placeholders.ts';

const NONE: SqlDialect = {
  placeholder: (n) => `<${n}>`,
  backslashes: false,
  postgres: false,
  brackets: false,
  hashComments: false,
};
const POSTGRES: SqlDialect = { ...NONE, postgres: true };
const MYSQL: SqlDialect = { ...NONE, backslashes: true, hashComments: true };
const SQL_SERVER: SqlDialect = { ...NONE, brackets: true };

describe('prepareSql', () => {
  it.each([
    ['a statement without placeholders', NONE, 'select 1', 'select 1'],
    ['several placeholders', NONE, 'select ? where a=? and b = ?', 'select <1> where a=<2> and b = <3>'],
    ['texts', NONE, `select '?', 'it''s ?', ?`, `select '?', 'it''s ?', <1>`],
    ['quoted names', NONE, 'select "a?", "b""?", `c?`, ?', 'select "a?", "b""?", `c?`, <1>'],
    ['line comments', NONE, 'select ? -- why?\n, ?', 'select <1> -- why?\n, <2>'],
    ['comments', NONE, 'select /* ? */ ? /* ? */', 'select /* ? */ <1> /* ? */'],
    ['an unclosed text', NONE, `select ? 'never ?`, `select <1> 'never ?`],
    ['an unclosed comment', NONE, 'select ? /* never ?', 'select <1> /* never ?'],
    ['a backslash that is not an escape', NONE, String.raw`select '\', ?`, String.raw`select '\', <1>`],
    ['a division', NONE, 'select 4/?-?', 'select 4/<1>-<2>'],
    ['E-strings of Postgres', POSTGRES, String.raw`select E'\'?', '\', ?`, String.raw`select E'\'?', '\', <1>`],
    ['a name that ends in e', POSTGRES, String.raw`select type'\', ?`, String.raw`select type'\', <1>`],
    ['dollar quotes', POSTGRES, 'select $$ ? $$, $a$ $$ ? $a$, ?', 'select $$ ? $$, $a$ $$ ? $a$, <1>'],
    ['a dollar in a name', POSTGRES, 'select a$b$, ?, c$b$', 'select a$b$, <1>, c$b$'],
    ['nested comments', POSTGRES, 'select /* /* ? */ ? */ ?', 'select /* /* ? */ ? */ <1>'],
    ['operators with ?', POSTGRES, "select j ?? 'a', j ??| ?", "select j ? 'a', j ?| <1>"],
    ['backslashes of MySQL', MYSQL, String.raw`select 'it\'s ?', "\"?", ?`, String.raw`select 'it\'s ?', "\"?", <1>`],
    ['comments with #', MYSQL, 'select 1 # ?\n, ?', 'select 1 # ?\n, <1>'],
    ['names in brackets', SQL_SERVER, 'select [a?]]?], ?', 'select [a?]]?], <1>'],
  ])('handles %s', (_, dialect, sql, expected) => {
    const prepared = prepareSql(sql, dialect);
    expect(prepared.text).toBe(expected);
    expect(prepared.parameters).toBe(expected.match(/<\d+>/g)?.length ?? 0);
  });

  it('counts placeholders and does not change them if the database supports ?', () => {
    expect(prepareSql("select ?, '?', ?", { ...NONE, placeholder: undefined })).toEqual({
      text: "select ?, '?', ?",
      parameters: 2,
    });
  });

  it('changes nothing except the placeholders', () => {
    const piece = fc.constantFrom(
      '?',
      "'",
      '"',
      '`',
      '--',
      '\n',
      '/*',
      '*/',
      '$$',
      '$a$',
      '\\',
      '[',
      ']',
      'e',
      ' ',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom(NONE, MYSQL, SQL_SERVER), (pieces, dialect) => {
        const sql = pieces.join('');
        const { text, parameters } = prepareSql(sql, dialect);
        let n = 0;
        expect(
          text.replace(/<(\d+)>/g, (_, digits) => {
            expect(Number(digits)).toBe(++n);
            return '?';
          }),
        ).toBe(sql);
        expect(n).toBe(parameters);
      }),
    );
  });
});
