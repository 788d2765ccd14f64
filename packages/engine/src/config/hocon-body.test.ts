import { describe, expect, it } from 'vitest';
import { readHoconBody } from './hocon-body.ts';

describe('readHoconBody', () => {
  it.each([
    [
      '{"config": {a: 1, b: ${a}, "x}": """}""" # }\n}, limit: 3 }',
      '{"config":{},"limit":3}',
      '{a: 1, b: ${a}, "x}": """}""" # }\n}',
    ],
    ['config { a = 1 }\npipeline: x', '{"config":{},"pipeline":"x"}', '{ a = 1 }'],
    ['config={a:1}', '{"config":{}}', '{a:1}'],
    ['{ // why\n "config" : {a:1}\n}', '{"config":{}}', '{a:1}'],
    [
      'config: {}, limit: 9007199254740993, documents: [{n: 1.5}]',
      '{"config":{},"limit":9007199254740993,"documents":[{"n":1.5}]}',
      '{}',
    ],
  ])('returns the object config at its position: %s', (text, json, config) => {
    const body = readHoconBody(text);
    expect(body).toEqual({ json, config: expect.any(String) });
    const { config: found = '' } = body as { config?: string };
    expect(found.trim()).toBe(config);
    expect(found.length).toBe(text.indexOf(config) + config.length);
    expect(found.split('\n')).toHaveLength(text.slice(0, found.length).split('\n').length);
  });

  it.each([
    ['configId: films.conf # the one', '{"configId":"films.conf"}'],
    ['config: "a: 1"', '{"config":"a: 1"}'],
    ['config: """a: ${x}"""', '{"config":"a: ${x}"}'],
    ['config: 0', '{"config":0}'],
    ['x { config { a: 1 } }', '{"x":{"config":{"a":1}}}'],
  ])('returns no config if the body has no object config: %s', (text, json) => {
    expect(readHoconBody(text)).toEqual({ json, config: undefined });
  });

  it.each([
    ['config { a: 1 }\nconfig { b: 2 }', 'one object', 1],
    ['a: 1\nconfig.a = 1', 'one object', 2],
    ['a: 1\nb: {', 'not closed', 2],
    ['a: ${x}', '${x} is not defined', 1],
    ['include "x"', 'include', 1],
    ['[1]', 'list', 1],
  ])('reports the position of a mistake: %s', (text, message, line) => {
    expect(readHoconBody(text)).toMatchObject({ problem: { line, message: expect.stringContaining(message) } });
  });
});
