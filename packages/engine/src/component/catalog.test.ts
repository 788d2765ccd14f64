import { describe, expect, it } from 'vitest';
import { describeModule, isComponentClass } from './catalog.ts';
import { commonParameters } from './common-parameters.ts';
import { MapOf, OneOf, Type } from './schema.ts';
import { Stage } from './stage.ts';

const parameters = Type.Object({
  source: Type.String(),
  size: Type.Integer({ minimum: 1, default: 5 }),
  ratio: Type.Optional(Type.Number({ minimum: 0, exclusiveMaximum: 1 })),
  on: Type.Boolean({ default: false }),
  mode: OneOf(['a', 'b'], { default: 'a' }),
  names: Type.Optional(Type.Array(Type.String())),
  mapping: Type.Optional(MapOf(Type.String())),
  lists: Type.Optional(MapOf(Type.Array(Type.String()))),
  free: Type.Optional(MapOf(Type.Unknown())),
  java: Type.Optional(Type.Array(Type.Unknown(), { javaType: 'java.util.List<java.lang.String>' })),
  server: Type.Optional(Type.Object({ host: Type.String(), port: Type.Optional(Type.Integer()) })),
  rules: Type.Optional(Type.Array(Type.Object({ pattern: Type.String() }))),
});

class Example extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly examples = [{ params: { source: 'a' } }];
  override process(): void {}
}

const comments = new Map([
  [
    'Example',
    {
      description: 'An example.',
      parameters: {
        source: 'Where from.',
        server: 'Which.',
        'server.host': 'Its name.',
        'rules.pattern': 'What fits.',
      },
    },
  ],
]);

describe('describeModule', () => {
  const [entry] = describeModule({ Example, other: 1, Plain: class {} }, './e.js', 'pkg', commonParameters, comments);

  it('describes a class by its static members and its doc comments', () => {
    expect(entry).toMatchObject({
      kind: 'stage',
      name: 'Example',
      module: './e.js',
      aliases: ['com.kmwllc.lucille.stage.Example'],
      package: 'pkg',
      description: 'An example.',
      schema: parameters,
      examples: [{ params: { source: 'a' } }],
    });
  });

  it('lists parameters as the reference does, sorted, with additional properties', () => {
    const own = entry?.fields.filter(({ name }) => name in parameters.properties);
    expect(own).toEqual([
      {
        name: 'free',
        required: false,
        type: { type: 'OBJECT', typeReference: 'java.util.Map<java.lang.String, java.lang.Object>' },
      },
      { name: 'java', required: false, type: { type: 'OBJECT', typeReference: 'java.util.List<java.lang.String>' } },
      {
        name: 'lists',
        required: false,
        type: { type: 'OBJECT', typeReference: 'java.util.Map<java.lang.String, java.util.List<java.lang.String>>' },
      },
      {
        name: 'mapping',
        required: false,
        type: { type: 'OBJECT', typeReference: 'java.util.Map<java.lang.String, java.lang.String>' },
      },
      { name: 'mode', required: false, type: { type: 'STRING' }, default: 'a', enum: ['a', 'b'] },
      { name: 'names', required: false, type: { type: 'OBJECT', typeReference: 'java.util.List<java.lang.String>' } },
      { name: 'on', required: false, type: { type: 'BOOLEAN' }, default: false },
      { name: 'ratio', required: false, type: { type: 'NUMBER' }, minimum: 0, exclusiveMaximum: 1 },
      {
        name: 'rules',
        required: false,
        type: {
          type: 'OBJECT',
          child: { fields: [{ name: 'pattern', required: true, type: { type: 'STRING' }, description: 'What fits.' }] },
        },
      },
      {
        name: 'server',
        required: false,
        type: {
          type: 'OBJECT',
          child: {
            fields: [
              { name: 'host', required: true, type: { type: 'STRING' }, description: 'Its name.' },
              { name: 'port', required: false, type: { type: 'NUMBER' } },
            ],
          },
        },
        description: 'Which.',
      },
      { name: 'size', required: false, type: { type: 'NUMBER' }, default: 5, minimum: 1 },
      { name: 'source', required: true, type: { type: 'STRING' }, description: 'Where from.' },
    ]);
    expect(entry?.fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['class', 'conditions', 'enabled']));
  });

  it('takes descriptions from the code of a class without doc comments', () => {
    class Described extends Stage {
      static override readonly parameters = Type.Object({ a: Type.String({ description: 'The field.' }) });
      static readonly description = 'Does something.';
      override process(): void {}
    }
    const [described] = describeModule({ Described }, './e.js', 'pkg', commonParameters);
    expect(described?.description).toBe('Does something.');
    expect(described?.fields.find(({ name }) => name === 'a')?.description).toBe('The field.');
  });

  it('lists a class without descriptions', () => {
    class Bare extends Example {
      static readonly description = 5;
    }
    const [bare] = describeModule({ Bare }, './e.js', 'pkg', commonParameters);
    expect(bare?.description).toBeUndefined();
    expect(bare?.fields).toHaveLength(entry?.fields.length as number);
  });
});

describe('isComponentClass', () => {
  it('recognizes a component class by its members, not by its base class', () => {
    const parameters = { type: 'object', properties: {} };
    expect(isComponentClass(Object.assign(class {}, { kind: 'indexer', parameters }))).toBe(true);
    expect(isComponentClass(Object.assign(class {}, { kind: 'other', parameters }))).toBe(false);
    expect(isComponentClass(Object.assign(class {}, { kind: 'stage' }))).toBe(false);
    expect(isComponentClass(Object.assign(class {}, { kind: 'stage', parameters: null }))).toBe(false);
    expect(isComponentClass({ kind: 'stage', parameters })).toBe(false);
    expect(isComponentClass(null)).toBe(false);
  });
});
