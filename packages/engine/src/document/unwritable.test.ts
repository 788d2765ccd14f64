import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';
import { writeValue } from './json-writer.ts';
import { unwritable } from './unwritable.ts';
import type { Value } from './value.ts';

/** Returns the message of the error for a document with this value, as an encoder of documents gets it. */
function messageFor(value: unknown): string {
  const document = Document.create('a');
  document.set('good', ['x', new Map([['y', 1]])]);
  document.put('bad', value as Value);
  try {
    document.toJson();
  } catch (error) {
    return (unwritable(document, error) as Error).message;
  }
  throw new Error('The document could be written');
}

describe('the error for a document that cannot be written', () => {
  it('names the field and the value', () => {
    expect(messageFor(undefined)).toBe('Field "bad" holds undefined, which is not a value of a document');
    expect(messageFor(['x', () => 1])).toBe('Field "bad" holds a function, which is not a value of a document');
    expect(messageFor(new Map([['x', {}]]))).toBe(
      'Field "bad" holds an object ([object Object]), which is not a value of a document',
    );
  });

  it('names the field with a list or an object that contains itself', () => {
    const list: unknown[] = [1];
    list.push([list]);
    expect(messageFor(list)).toBe('Field "bad" holds a list that contains itself');
    const object = new Map<string, unknown>();
    object.set('x', [object]);
    expect(messageFor(object)).toBe('Field "bad" holds an object that contains itself');
  });

  it('accepts a list that is in two places', () => {
    const twice = ['x'];
    expect(messageFor([twice, twice, undefined])).toContain('undefined');
  });

  it('names the field with too many levels', () => {
    let deep: unknown[] = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => writeValue(deep as Value)).toThrow(RangeError);
    expect(messageFor(deep)).toBe('Field "bad" holds lists or objects with too many levels');
  });

  it('is unchanged for another reason', () => {
    const reason = new Error('the encoder failed');
    expect(unwritable(Document.create('a'), reason)).toBe(reason);
    const range = new RangeError('Invalid array length');
    expect(unwritable(Document.create('a'), range)).toBe(range);
  });
});
