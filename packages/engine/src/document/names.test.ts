import { expect, it, vi } from 'vitest';

// This file uses a separate table of names, because its last test fills the table.
vi.resetModules();
const { readDocument } = await import('./read-document.ts');
const { internName, isInterned } = await import('./names.ts');
vi.resetModules();

it('interns short names and returns all names unchanged', () => {
  for (const name of ['a', '', '__proto__', '10', 'é\ud800', 'n'.repeat(256)]) {
    expect(internName(name)).toBe(name);
    expect(isInterned(name)).toBe(true);
  }
  const long = 'n'.repeat(257);
  expect(internName(long)).toBe(long);
  expect(isInterned(long)).toBe(false);
});

// This must be the last test of this file, because the table of names is full afterwards.
it('limits the number of interned names, and documents stay correct', () => {
  for (let i = 0; i < 52_000; i++) internName(`name-${i}`);
  expect(isInterned('name-49000')).toBe(true);
  expect(isInterned('name-51999')).toBe(false);
  const document = readDocument('{"id":"1","name-51998":1,"a-name-never-seen":{"another-one":[2]}}');
  expect(document.shape.changing).toBe(true);
  document.set('one-more-name', 3);
  document.remove('name-51998');
  expect(document.toJson()).toBe('{"id":"1","a-name-never-seen":{"another-one":[2]},"one-more-name":3}');
});
