import { parse } from '@headrace/hocon';
import { describe, expect, it } from 'vitest';
import { withDefaults } from './defaults.ts';
import { SchemaWriter } from './json-schema.ts';
import { checkParameters } from './parameters.ts';
import { type Static, Type } from './schema.ts';
import { specFields } from './spec.ts';

const schema = Type.Object({
  source: Type.String(),
  size: Type.Integer({ default: 5 }),
  names: Type.Array(Type.String(), { default: ['a'] }),
  retry: Type.Optional(Type.Object({ attempts: Type.Integer({ default: 3 }), wait: Type.Optional(Type.Integer()) })),
});

function read(text: string) {
  const { root } = parse(text);
  return checkParameters(schema, root as never, '');
}

describe('a parameter with a default', () => {
  it('may be absent from the config, and has its default', () => {
    expect(read('source: x')).toMatchObject({ problems: [], value: { source: 'x', size: 5, names: ['a'] } });
    expect(read('source: x, size: null, retry {}').value).toEqual({
      source: 'x',
      size: 5,
      names: ['a'],
      retry: { attempts: 3 },
    });
    expect(read('source: x, size: 7').value['size']).toBe(7);
  });

  it('is never undefined in TypeScript', () => {
    const size: number = (read('source: x').value as Static<typeof schema>).size;
    expect(size).toBe(5);
  });

  it('is optional in the catalog and in the JSON Schema', () => {
    const required = specFields(schema).filter((field) => field.required);
    expect(required.map(({ name }) => name)).toEqual(['source']);
    expect(new SchemaWriter([]).object(schema)).toMatchObject({
      required: ['source'],
      properties: { size: { type: ['number', 'string', 'null'], default: 5 } },
    });
  });
});

describe('withDefaults', () => {
  it('adds the defaults of absent parameters, also in nested objects', () => {
    expect(withDefaults(schema, { source: 'x', size: 7, retry: { wait: 1 } })).toEqual({
      source: 'x',
      size: 7,
      names: ['a'],
      retry: { attempts: 3, wait: 1 },
    });
    expect(withDefaults(schema)).toEqual({ size: 5, names: ['a'] });
  });
});
