import { describe, expect, it } from 'vitest';
import { HeadraceError, messageOf, toFailure } from './headrace-error.ts';

describe('messageOf', () => {
  it('lists each cause once', () => {
    const root = new Error('ENOENT: no such file');
    expect(messageOf(new Error('cannot open a.csv', { cause: root }))).toBe(
      'cannot open a.csv <- ENOENT: no such file',
    );
    expect(messageOf(new Error(`cannot open a.csv: ${root.message}`, { cause: root }))).toBe(
      'cannot open a.csv: ENOENT: no such file',
    );
  });

  it('returns a string for any thrown value', () => {
    expect(messageOf('text')).toBe('text');
    expect(messageOf(undefined)).toBe('undefined');
    expect(messageOf(null)).toBe('null');
    expect(messageOf(new TypeError())).toBe('TypeError');
    expect(messageOf(Object.create(null))).toBe('[object Object]');
    expect(messageOf(Symbol('s'))).toBe('Symbol(s)');
    expect(messageOf(new Error('a', { cause: null }))).toBe('a');
    // Jsonata throws plain objects. An Error from the realm of a script is not an instance of Error in this realm.
    expect(messageOf({ code: 'S0203', message: 'Expected "]"' })).toBe('Expected "]"');
    expect(messageOf(new Error('Expected "]" (at 2)', { cause: { message: 'Expected "]"' } }))).toBe(
      'Expected "]" (at 2)',
    );
  });

  it('stops at a circular chain of causes', () => {
    const first = new Error('first');
    const second = new Error('second', { cause: first });
    first.cause = second;
    expect(messageOf(first)).toMatch(/^first <- second <- first/);
  });
});

describe('toFailure', () => {
  it('keeps only the code, message and hint of a HeadraceError', () => {
    const error = new HeadraceError('HR_STAGE_START', 'no', { hint: 'do', cause: new Error('why') });
    expect(toFailure(error, 'HR_INTERNAL')).toEqual({ code: 'HR_STAGE_START', message: 'no', hint: 'do' });
    expect(toFailure(new HeadraceError('HR_STAGE_START', 'no'), 'HR_INTERNAL')).toEqual({
      code: 'HR_STAGE_START',
      message: 'no',
    });
  });

  it('assigns the given code to other errors', () => {
    expect(toFailure(new Error('a', { cause: new Error('b') }), 'HR_CONNECTOR_FAILED')).toEqual({
      code: 'HR_CONNECTOR_FAILED',
      message: 'a <- b',
    });
  });

  it('keeps the hint of an error class that does not know the engine', () => {
    const error = Object.assign(new Error('products is an index'), { hint: 'Set rebuild.alias.' });
    expect(toFailure(error, 'HR_INDEXER_CONNECT')).toEqual({
      code: 'HR_INDEXER_CONNECT',
      message: 'products is an index',
      hint: 'Set rebuild.alias.',
    });
    expect(toFailure(Object.assign(new Error('a'), { hint: 1 }), 'HR_INTERNAL')).not.toHaveProperty('hint');
  });
});

describe('the stack trace of an error', () => {
  it('is missing for errors of documents, and later errors have one', () => {
    expect(new HeadraceError('HR_STAGE_FAILED', 'no date').stack).not.toContain('headrace-error.test');
    expect(new HeadraceError('HR_INTERNAL', 'a mistake').stack).toContain('headrace-error.test');
  });
});
