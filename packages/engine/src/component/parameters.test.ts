import { type ObjectNode, parse } from '@headrace/hocon';
import { describe, expect, it } from 'vitest';
import { join } from './config-nodes.ts';
import { checkParameters, parameterKeys } from './parameters.ts';
import { COERCED, MapOf, NO_EFFECT, OneOf, type TObject, type TSchema, Type } from './schema.ts';

/** Checks a HOCON text against a schema, as if the text were the object `stage` of a config. */
function check(schema: TObject, text: string) {
  const { root, problems } = parse(text);
  expect(problems).toEqual([]);
  return checkParameters(schema, root as ObjectNode, 'stage');
}

/** Checks the parameter `p`. Returns its value, or the messages of the problems. */
function one(schema: TSchema, text: string): unknown {
  const { value, problems } = check(Type.Object({ p: Type.Optional(schema) }), `p = ${text}`);
  return problems.length > 0 ? problems.map(({ message }) => message) : value['p'];
}

describe('conversion of parameter values', () => {
  it.each([
    ['"a"', 'a'],
    ['a b', 'a b'],
    ['5', '5'],
    ['1.50', '1.50'],
    ['007', '007'],
    ['true', 'true'],
    ['yes', 'yes'],
    ['""', ''],
    ['[a]', ['p must be a string, was "LIST"']],
    ['{a: 1}', ['p must be a string, was "OBJECT"']],
  ])('converts %s to a string or reports a problem', (text, expected) => {
    expect(one(Type.String(), text)).toEqual(expected);
  });

  it.each([
    ['true', true],
    ['"true"', true],
    ['yes', true],
    ['on', true],
    ['false', false],
    ['"no"', false],
    ['off', false],
    ['1', ['p must be a boolean, was "NUMBER"']],
    ['TRUE', ['p must be a boolean, was "STRING"']],
    ['[]', ['p must be a boolean, was "LIST"']],
  ])('converts %s to a boolean or reports a problem', (text, expected) => {
    expect(one(Type.Boolean(), text)).toEqual(expected);
  });

  it.each([
    ['5', 5],
    ['"5"', 5],
    ['" 5 "', 5],
    ['"-1.5e3"', -1500],
    ['1.5', 1.5],
    ['".5"', 0.5],
    ['"5."', 5],
    ['ten', ['p must be a number, was "STRING"']],
    ['""', ['p must be a number, was "STRING"']],
    ['"0x10"', ['p must be a number, was "STRING"']],
    ['"Infinity"', ['p must be a number, was "STRING"']],
    ['true', ['p must be a number, was "BOOLEAN"']],
    ['{}', ['p must be a number, was "OBJECT"']],
  ])('converts %s to a number or reports a problem', (text, expected) => {
    expect(one(Type.Number(), text)).toEqual(expected);
  });

  it.each([
    ['1.0', 1],
    ['1e3', 1000],
    ['1.9', ['p is 1.9, but must be an integer: 1 is used']],
    ['"7"', 7],
    ['-1.9', ['p is -1.9, but must be an integer: -1 is used']],
    ['9007199254740993', ['p is out of the range of integers']],
    ['1e300', ['p is out of the range of integers']],
  ])('converts %s to an integer or reports a problem', (text, expected) => {
    expect(one(Type.Integer(), text)).toEqual(expected);
  });

  it.each([
    ['[a, 1, true]', ['a', '1', 'true']],
    ['[]', []],
    ['{"1": b, "0": a}', ['a', 'b']],
    ['{"10": c, "9": b, x: no}', ['b', 'c']],
  ])('converts %s to a list of strings', (text, expected) => {
    const { value, problems } = check(Type.Object({ p: Type.Array(Type.String()) }), `p = ${text}`);
    expect(problems).toEqual([]);
    expect(value['p']).toEqual(expected);
  });

  it.each([
    ['a', ['p is supposed to be a list, was "STRING"'], 'stage.p', 'Write it in brackets: p: [a]'],
    ['{a: 1}', ['p is supposed to be a list, was "OBJECT"'], 'stage.p', undefined],
    ['{}', ['p is supposed to be a list, was "OBJECT"'], 'stage.p', undefined],
    ['[a, [b]]', ['p[1] must be a string, was "LIST"'], 'stage.p[1]', undefined],
    ['[{a: 1}]', ['p[0] must be a string, was "OBJECT"'], 'stage.p[0]', undefined],
    ['[a, null]', ['List p could not be converted to specified type: element 1 is null'], 'stage.p[1]', undefined],
  ])('reports a problem for a list of strings that is %s', (text, messages, path, hint) => {
    const { problems } = check(Type.Object({ p: Type.Array(Type.String()) }), `p = ${text}`);
    expect(problems.map(({ message }) => message)).toEqual(messages);
    expect(problems[0]).toMatchObject({ path });
    expect(problems[0]?.hint).toBe(hint);
  });

  it('keeps maps in the order of the config, for any keys', () => {
    const map = one(MapOf(Type.String()), '{b: "1", "10": x, "9": y, "a.b": z, __proto__: w}') as Map<string, string>;
    expect([...map]).toEqual([
      ['b', '1'],
      ['10', 'x'],
      ['9', 'y'],
      ['a.b', 'z'],
      ['__proto__', 'w'],
    ]);
  });

  it('explains how to quote a name that contains a dot', () => {
    const { problems } = check(Type.Object({ p: MapOf(Type.String()) }), 'p { a.b: x, c: null, d: [1] }');
    expect(problems.map(({ path, message, hint }) => [path, message, hint])).toEqual([
      [
        'stage.p.a',
        'Object p could not be converted to specified type: a is an object',
        'Put a name with a dot in quotes. Without quotes, it creates nested objects.',
      ],
      ['stage.p.c', 'Object p could not be converted to specified type: c is null', undefined],
      ['stage.p.d', 'p.d must be a string, was "LIST"', undefined],
    ]);
  });

  it('refuses numbers and booleans in a map of field names', () => {
    const texts = Type.Union([Type.String(), Type.Array(Type.String())]);
    for (const [values, text] of [
      [Type.String(), '{a: 5}'],
      [texts, '{a: 5}'],
      [MapOf(texts), '{x: {a: 5}}'],
    ] as const) {
      expect(one(MapOf(values), text)).toEqual([expect.stringMatching(/a must be a string, was "NUMBER"$/)]);
      expect(one(MapOf(values), text.replace('5', 'true'))).toEqual([expect.stringMatching(/, was "BOOLEAN"$/)]);
      expect(one(MapOf(values), text.replace('5', '"5"'))).toBeInstanceOf(Map);
    }
    expect(one(MapOf(Type.Array(Type.String())), '{a: [x, 5]}')).toEqual(['p.a[1] must be a string, was "NUMBER"']);
    expect(one(MapOf(texts), '{a: [5]}')).not.toBeInstanceOf(Map);
    const { problems } = check(Type.Object({ p: MapOf(Type.String()), q: Type.String() }), 'p { a: 5 }, q: 5');
    expect(problems.map(({ path, hint }) => [path, hint])).toEqual([
      ['stage.p.a', 'If it is a name, put it in quotes: "5".'],
    ]);
    expect(one(MapOf(Type.String(), COERCED), '{a: 5, b: true}')).toEqual(
      new Map([
        ['a', '5'],
        ['b', 'true'],
      ]),
    );
  });

  it('converts free-form values to field values', () => {
    expect(one(MapOf(Type.Unknown()), '{a: [1, {b: null}], c: 1.0, d: 9007199254740993}')).toEqual(
      new Map<string, unknown>([
        ['a', [1, new Map([['b', null]])]],
        ['c', 1],
        ['d', 9007199254740993n],
      ]),
    );
    expect(one(Type.Array(Type.Unknown()), '[null, a]')).toEqual([null, 'a']);
  });

  it('uses the first of several types that matches', () => {
    const schema = Type.Union([Type.Number(), Type.Array(Type.String())]);
    expect(one(schema, '5')).toBe(5);
    expect(one(schema, '[a]')).toEqual(['a']);
    expect(one(schema, 'x')).toEqual(['p must be a number, was "STRING"']);
  });

  it('treats null as absent', () => {
    const { value, problems } = check(
      Type.Object({ needed: Type.String(), free: Type.String({ default: 'd' }) }),
      'needed: null, free: null',
    );
    expect(problems.map(({ message }) => message)).toEqual(['Config is missing required property needed']);
    expect(value).toEqual({ free: 'd' });
  });
});

describe('limits and choices', () => {
  it.each<[Record<string, number>, string, unknown]>([
    [{ minimum: 1 }, '0', ['p must be at least 1, was 0']],
    [{ minimum: 1 }, '1', 1],
    [{ maximum: 5 }, '6', ['p must be at most 5, was 6']],
    [{ exclusiveMinimum: 0 }, '0', ['p must be greater than 0, was 0']],
    [{ minimum: 0, exclusiveMaximum: 1 }, '1.0', ['p must be less than 1, was 1']],
    [{ minimum: 0, exclusiveMaximum: 1 }, '0.99', 0.99],
  ])('applies the limits %o to the value %s', (limits, text, expected) => {
    expect(one(Type.Number(limits), text)).toEqual(expected);
  });

  it('suggests the choice that is similar to a misspelt value', () => {
    const schema = Type.Object({ mode: OneOf(['overwrite', 'append', 'skip']) });
    expect(check(schema, 'mode: append').value).toEqual({ mode: 'append' });
    expect(check(schema, 'mode: APEND').problems[0]).toMatchObject({
      code: 'HR_CONFIG_INVALID_VALUE',
      message: 'mode must be one of "overwrite", "append", "skip", was "APEND"',
      hint: 'Did you mean "append"?',
    });
    expect(check(schema, 'mode: [append]').problems[0]).toMatchObject({
      code: 'HR_CONFIG_WRONG_TYPE',
      message: 'mode must be a string, was "LIST"',
    });
    expect(check(schema, 'mode: unrelated').problems[0]).not.toHaveProperty('hint');
  });
});

describe('problems of parameters', () => {
  const schema = Type.Object({
    source: Type.String(),
    maxSize: Type.Integer(),
    items: Type.Optional(Type.Array(Type.Object({ name: Type.String(), size: Type.Optional(Type.Number()) }))),
    options: Type.Optional(Type.Object({ deep: Type.Optional(Type.Boolean()) })),
  });

  it('are all found in one check, each with its position', () => {
    const text = [
      'maxsize: 3', // 1
      'items: [', // 2
      '  {size: big}', // 3
      '  {name: a, sise: 1}', // 4
      ']', // 5
      'options { deep: 5, other { x: 1 } }', // 6
      'nothing: {}, nil: null', // 7
    ].join('\n');
    const { problems } = check(schema, text);
    expect(
      problems.map(({ severity, code, path, line, column, message, hint }) => ({
        what: `${severity} ${code} ${path} ${line}:${column}`,
        message,
        hint,
      })),
    ).toEqual([
      {
        what: 'error HR_CONFIG_UNKNOWN_PARAMETER stage.maxsize 1:1',
        message: 'Config contains unknown property maxsize',
        hint: 'Did you mean maxSize?',
      },
      {
        what: 'warning HR_CONFIG_UNKNOWN_PARAMETER stage.nothing 7:1',
        message: 'Config contains unknown property nothing',
        hint: 'Known parameters: items, maxSize, options, source.',
      },
      {
        what: 'warning HR_CONFIG_UNKNOWN_PARAMETER stage.nil 7:14',
        message: 'Config contains unknown property nil',
        hint: 'Known parameters: items, maxSize, options, source.',
      },
      {
        what: 'error HR_CONFIG_MISSING_PARAMETER stage 1:1',
        message: 'Config is missing required property source',
        hint: undefined,
      },
      {
        what: 'error HR_CONFIG_MISSING_PARAMETER stage 1:1',
        message: 'Config is missing required property maxSize',
        hint: undefined,
      },
      {
        what: 'error HR_CONFIG_MISSING_PARAMETER stage.items[0] 3:3',
        message: 'Config is missing required property name',
        hint: undefined,
      },
      {
        what: 'error HR_CONFIG_WRONG_TYPE stage.items[0].size 3:10',
        message: 'size must be a number, was "STRING"',
        hint: undefined,
      },
      {
        what: 'error HR_CONFIG_UNKNOWN_PARAMETER stage.items[1].sise 4:13',
        message: 'Config contains unknown property sise',
        hint: 'Did you mean size?',
      },
      {
        what: 'error HR_CONFIG_UNKNOWN_PARAMETER stage.options.other 6:20',
        message: 'Config contains unknown parent other',
        hint: 'There is no parameter other. Known parameters: deep.',
      },
      {
        what: 'error HR_CONFIG_WRONG_TYPE stage.options.deep 6:17',
        message: 'deep must be a boolean, was "NUMBER"',
        hint: undefined,
      },
    ]);
  });

  it('list the keys of every component in the hint, after the keys of this component', () => {
    const { root } = parse('source: a, maxSize: 1, enabld: false, other: 1');
    const { problems } = checkParameters(schema, root as ObjectNode, '', new Set(['class', 'enabled']));
    expect(problems.map(({ hint }) => hint)).toEqual([
      'Did you mean enabled?',
      'Known parameters: items, maxSize, options, source, class, enabled.',
    ]);
  });

  it('include a warning for a parameter without effect', () => {
    const retries = Type.Object({ retries: Type.Integer({ default: 1, ...NO_EFFECT }) });
    expect(check(retries, '').problems).toEqual([]);
    expect(check(retries, 'retries: null').problems).toEqual([]);
    const { problems, value } = check(retries, 'retries: 2');
    expect(value).toEqual({ retries: 2 });
    expect(problems).toEqual([
      {
        severity: 'warning',
        code: 'HR_CONFIG_UNUSED',
        path: 'stage.retries',
        line: 1,
        column: 1,
        message: 'stage.retries has no effect in this version',
        hint: 'Remove it.',
      },
    ]);
  });

  it('do not include keys that other code reads, or names of JavaScript object members', () => {
    const { root } = parse('source: a, maxSize: 1, class: X, constructor: 1, __proto__: 2');
    const { problems } = checkParameters(schema, root as ObjectNode, '', new Set(['class']));
    expect(problems.map(({ path }) => path)).toEqual(['constructor', '__proto__']);
  });

  it('are found quickly for very long keys', () => {
    expect(one(Type.Number(), `"${'1'.repeat(200_000)}x"`)).toEqual(['p must be a number, was "STRING"']);
  });
});

describe('paths in problems', () => {
  it('contain keys with special characters in quotes', () => {
    expect(['a', 'b-c', 'a.b', 'x y', ''].map((key) => join('p', key))).toEqual([
      'p.a',
      'p.b-c',
      'p."a.b"',
      'p."x y"',
      'p.""',
    ]);
    expect(join('', 'a')).toBe('a');
    expect(join('list', 2)).toBe('list[2]');
  });

  it('may be strings or lists of keys', () => {
    expect(parameterKeys({ parameter: 'regex[1].source' })).toEqual(['regex', 1, 'source']);
    expect(parameterKeys({ parameter: ['fieldMapping', 'a.b[0]'] })).toEqual(['fieldMapping', 'a.b[0]']);
  });
});
