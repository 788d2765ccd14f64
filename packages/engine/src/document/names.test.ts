import { expect, it, vi } from 'vitest';

// A table of names for this file alone: others add to theirs, and the last test fills it.
vi.resetModules();
const { readDocument } = await import('./json-reader.ts');
const { internName, isInterned } = await import('./names.ts');
vi.resetModules();

it('interns names as they are, short ones only', () => {
  for (const name of ['a', '', '__proto__', '10', 'é\ud800', 'n'.repeat(256)]) {
    expect(internName(name)).toBe(name);
    expect(isInterned(name)).toBe(true);
  }
  const long = 'n'.repeat(257);
  expect(internName(long)).toBe(long);
  expect(isInterned(long)).toBe(false);
});

// The last test of this file: the table of names is full after it.
it('keeps no more than so many names, and documents are right all the same', () => {
  for (let i = 0; i < 52_000; i++) internName(`name-${i}`);
  expect(isInterned('name-49000')).toBe(true);
  expect(isInterned('name-51999')).toBe(false);
  const document = readDocument('{"id":"1","name-51998":1,"a-name-never-seen":{"another-one":[2]}}');
  expect(document.shape.changing).toBe(true);
  document.set('one-more-name', 3);
  document.remove('name-51998');
  expect(document.toJson()).toBe('{"id":"1","a-name-never-seen":{"another-one":[2]},"one-more-name":3}');
});
