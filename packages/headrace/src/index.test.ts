import { describe, expect, it } from 'vitest';
import * as headrace from './index.ts';

const {
  copyValue,
  Document,
  Double,
  double,
  getNested,
  HeadraceError,
  parseNestedPath,
  readJson,
  Shape,
  setNested,
  textOf,
  toValue,
} = headrace;

describe('the exports for custom components', () => {
  it('include the base classes and the functions for parameters', () => {
    expect(Object.keys(headrace)).toEqual(
      expect.arrayContaining(['Connector', 'Indexer', 'MapOf', 'OneOf', 'Stage', 'Type', 'UpdateModeParameter']),
    );
  });

  it('convert plain data to values, and values to texts', () => {
    const value = toValue({ a: [1, 'x'] });
    expect(value).toEqual(new Map([['a', [1, 'x']]]));
    expect(copyValue(value)).toEqual(value);
    expect(copyValue(value)).not.toBe(value);
    expect(double(3)).toBeInstanceOf(Double);
    expect(textOf(double(3))).toBe('3.0');
  });

  it('read JSON without loss, and access nested values', () => {
    const document = Document.create('1');
    document.set('a', readJson('{"b": [1.0, 12345678901234567890]}'));
    expect(document.toJson()).toBe('{"id":"1","a":{"b":[1.0,12345678901234567890]}}');
    setNested(document, parseNestedPath('a.c'), 'x');
    expect(getNested(document, parseNestedPath('a.c'))).toBe('x');
  });

  it('create documents from a shape, as decoders do', () => {
    const shape = Shape.of(['id', 'a']);
    expect(new Document(shape, ['1', 2]).toJson()).toBe('{"id":"1","a":2}');
  });

  it('include errors with a code and a hint', () => {
    expect(new HeadraceError('HR_SOURCE_UNREADABLE', 'no', { hint: 'yes' })).toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      hint: 'yes',
    });
  });
});
