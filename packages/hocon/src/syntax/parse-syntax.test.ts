import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigNode, ObjectSyntax, SyntaxPart, ValueSyntax } from '../index.ts';
import { parse, parseSyntax } from '../index.ts';

/** Returns a short description of a tree: the texts of its parts in brackets. */
function outline(text: string): string {
  const { root } = parseSyntax(text);
  const span = ({ from, to }: { from: number; to: number }) => text.slice(from, to);
  const value = (value: ValueSyntax | undefined): string => value?.parts.map(part).join(' ') ?? '?';
  const part = (part: SyntaxPart): string => {
    if (part.kind === 'list') return `[${part.items.map(value).join(', ')}${part.closed ? ']' : '…'}`;
    if (part.kind === 'object') return object(part);
    return span(part);
  };
  const object = ({ fields, braces, closed }: ObjectSyntax): string => {
    const inner = fields.map((field) => {
      const key = field.include ? 'include' : field.key.path.join('/');
      return `${key} ${field.separator === undefined ? '' : span(field.separator)} ${value(field.value)}`;
    });
    return `${braces ? '{' : ''}${inner.join('; ')}${braces ? (closed ? '}' : '…') : ''}`;
  };
  return root === undefined ? 'none' : object(root);
}

describe('parseSyntax', () => {
  it('returns the positions of fields, elements, concatenations and comments', () => {
    expect(outline('a.b = 1, "c.d" : [x y, {e = 2}]\nf { g += ${h} [3] }')).toBe(
      'a/b = 1; c.d : [x y, {e = 2}]; f  {g += ${h} [3]}',
    );
    expect(outline('{ include "x.conf"\n include required(file("y"))\n a = """t\n""" }')).toBe(
      '{include  "x.conf"; include  required(file( "y" )); a = """t\n"""}',
    );
    const { comments } = parseSyntax('# one \na = 1 // two\r\n#three');
    expect(comments).toEqual([
      { from: 0, to: 5 },
      { from: 13, to: 19 },
      { from: 21, to: 27 },
    ]);
  });

  it('reads unfinished texts', () => {
    expect(outline('class')).toBe('class  ?');
    expect(outline('class = ')).toBe('class = ?');
    expect(outline('a =\nb = 1')).toBe('a = ?; b = 1');
    expect(outline('a\nb = 1')).toBe('a  ?; b = 1');
    expect(outline('a =\nb { c = 1 }')).toBe('a = ?; b  {c = 1}');
    expect(outline('a: "x\nb: 1')).toBe('a : "x; b : 1');
    expect(outline('s: [\n  { class: A\n')).toBe('s : [{class : A……');
    expect(outline('s: [\n  {\n    class: A\n    na\n  {\n    class: B\n  }\n]\nt: 1')).toBe(
      's : [{class : A; na  ?…, {class : B}]; t : 1',
    );
    expect(outline('= 1')).toBe(' = 1');
    expect(outline('')).toBe('');
    expect(outline('[1]')).toBe('none');
    expect(parseSyntax('a = {').balanced).toBe(false);
    expect(parseSyntax('a = """x').balanced).toBe(false);
    expect(parseSyntax('a = ]').balanced).toBe(false);
    expect(parseSyntax('a = {}').balanced).toBe(true);
  });

  it('finds the same values as parse', () => {
    const key = fc.constantFrom('a', 'b', '"c d"');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        fc.constantFrom('1', 'x', '"y z"', 'true', 'null', '"""t"""', 'two words'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
        fc
          .array(fc.tuple(key, fc.constantFrom('=', ' : '), tie('value')), { maxLength: 3 })
          .map((fields) => `{\n${fields.map((field) => `${field.join('')} # note`).join('\n')}\n}`),
      ),
    }));
    const starts = (node: ConfigNode, text: string): number[] => {
      const lines = text.split('\n');
      const { line, column } = node.origin;
      const at = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
      const children = node.kind === 'object' ? [...node.entries.values()] : node.kind === 'list' ? node.items : [];
      return [at, ...children.flatMap((child) => starts(child, text))];
    };
    const written = (value: ValueSyntax): number[] => {
      return [value.from, ...value.parts.flatMap((part) => inside(part))];
    };
    const inside = (part: SyntaxPart): number[] => {
      if (part.kind === 'list') return part.items.flatMap(written);
      return part.kind === 'object'
        ? part.fields.flatMap(({ value }) => (value === undefined ? [] : written(value)))
        : [];
    };
    fc.assert(
      fc.property(value, (value) => {
        const text = `top = ${value}\n`;
        const { root, problems } = parse(text);
        expect(problems).toEqual([]);
        const found = new Set(inside(parseSyntax(text).root!));
        for (const at of starts(root, text).slice(1)) expect(found.has(at), `${text} ${at}`).toBe(true);
      }),
    );
  });

  it('has spans inside each other for any text', () => {
    const piece = fc.constantFrom(
      ...'{}[]=:,"#\n a${'.split(''),
      '"""',
      '+=',
      'include ',
      'x',
      '1',
      '//',
      '${a}',
      '  ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const check = (part: SyntaxPart, from: number, to: number): void => {
          expect(part.from >= from && part.to <= to && part.from <= part.to, JSON.stringify(text)).toBe(true);
          const values = part.kind === 'list' ? part.items : part.kind === 'object' ? part.fields : [];
          let at = part.from;
          for (const value of values) {
            expect(value.from >= at && value.to <= part.to && value.from <= value.to, JSON.stringify(text)).toBe(true);
            at = value.to;
            const inner = 'parts' in value ? value : value.value;
            for (const child of inner?.parts ?? []) check(child, value.from, value.to);
          }
        };
        const { root } = parseSyntax(text);
        if (root !== undefined) check(root, 0, text.length);
      }),
      { numRuns: 20 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('reads very deep texts', () => {
    const { root } = parseSyntax(`a = ${'['.repeat(50_000)}1${']'.repeat(50_000)}\nb = 2`);
    expect(root?.fields.map(({ key }) => key.path)).toEqual([['a'], ['b']]);
  });
});
