import { describe, expect, it, vi } from 'vitest';
import { Document } from './document.ts';
import { readDocument } from './read-document.ts';
import { Shape } from './shape.ts';

describe('shapes', () => {
  it('are the same for documents with the same fields, regardless of the order in which the fields were set', async () => {
    // Shapes are shared up to a limit of names, which other tests of this process may have reached.
    vi.resetModules();
    const { Document } = await import('./document.ts');
    const { readDocument } = await import('./read-document.ts');
    const { Shape } = await import('./shape.ts');
    const [a, b] = [1, 2].map((n) => {
      const document = Document.create(String(n));
      document.set('x', n);
      document.set('y', n);
      document.remove('x');
      return document;
    });
    expect(a?.shape).toBe(b?.shape);
    expect(readDocument('{"id":"1","a":1}').shape).toBe(readDocument('{"id":"2","a":[]}').shape);
    expect(Shape.common(['id', 'a']).changing).toBe(false);
  });

  it.each([3, 32, 33])('find each of %i names, however often they are searched', (count) => {
    const names = Array.from({ length: count }, (_, i) => `found_${i}`);
    const shape = Shape.of(names);
    for (let round = 0; round < 100; round++) {
      expect(names.map((name) => shape.position(name))).toEqual(names.map((_, i) => i));
      expect(shape.position('missing')).toBe(-1);
    }
  });

  it('belong to one document if names are data, and stay correct', () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]));
    const first = readDocument(JSON.stringify({ id: '1', ...wide }));
    const second = first.clone();
    first.remove('k7');
    first.set('k300', 300);
    expect(first.get('k8')).toBe(8);
    expect(first.get('k300')).toBe(300);
    expect(first.has('k7')).toBe(false);
    expect(second.get('k7')).toBe(7);
    expect(second.has('k300')).toBe(false);
    expect(first.shape.changing).toBe(true);
  });

  it('belong to one document if a name is very long, because shared shapes are never freed', () => {
    const name = 'n'.repeat(1000);
    const document = readDocument(`{"id":"1","a":1,"${name}":2,"b":3}`);
    expect(document.shape.changing).toBe(true);
    expect(document.toJson()).toBe(`{"id":"1","a":1,"${name}":2,"b":3}`);
    expect(document.get(name)).toBe(2);
  });

  it('are limited in number if every document has a different name', () => {
    for (let i = 0; i < 3000; i++) {
      const document = Document.create(String(i));
      document.set(`own-${i}`, i);
      document.set('common', i);
      document.remove(`own-${i}`);
      expect(document.toJson()).toBe(`{"id":"${i}","common":${i}}`);
    }
  });

  it('recognize the flags of dropped and skipped documents', () => {
    const document = Document.create('1');
    expect(document.bypassed).toBe(false);
    document.skip();
    expect(document.skipped).toBe(true);
    expect(document.dropped).toBe(false);
    expect(readDocument('{"id":"1","___dropped":false}').dropped).toBe(true);
  });
});
