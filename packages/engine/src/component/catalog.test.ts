import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
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

const source = `
const parameters = Type.Object({
  /** Where from. */
  source: Type.String(),
  /** Which. */
  server: Type.Optional(Type.Object({ /** Its name. */ host: Type.String(), port: Type.Optional(Type.Integer()) })),
  rules: Type.Optional(Type.Array(Type.Object({ /** What fits. */ pattern: Type.String() }))),
});

/** An example. */
export class Example extends Stage { static parameters = parameters; }`;

const file = join(mkdtempSync(join(tmpdir(), 'headrace-catalog-')), 'example.js');
writeFileSync(file, source);
const url = pathToFileURL(file).href;
afterAll(() => rmSync(dirname(file), { recursive: true }));

describe('describeModule', () => {
  const [entry] = describeModule({ Example, other: 1, Plain: class {} }, url, './e.js', 'pkg', commonParameters);

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

  it('lists a class without descriptions if its source is unknown', () => {
    const [bare] = describeModule({ Example }, undefined, './e.js', 'pkg', commonParameters);
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
