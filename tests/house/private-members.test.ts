import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

/** Matches a member with the keyword `private`, which only the compiler checks. Constructors have no other form. */
const PRIVATE_KEYWORD = /^\s+(?:\w+ )*private (?!constructor\()/;

const files = repositoryFiles().filter(
  (path) => /^(packages|plugins|tests|bench|scripts|examples)\/.*\.tsx?$/.test(path) && !path.includes('.generated.'),
);

describe('private members of classes', () => {
  it('are written as #private, so that no other code can reach them at run time', () => {
    const wrong = files.flatMap((path) =>
      readText(path)
        .split('\n')
        .flatMap((line, index) => (PRIVATE_KEYWORD.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(wrong).toEqual([]);
  });

  it('are recognised with every modifier, except constructors', () => {
    const lines = [
      '  private a = 1;',
      '  private readonly b: string;',
      '  static private c() {',
      '  private get d() {',
    ];
    expect(lines.filter((line) => !PRIVATE_KEYWORD.test(line))).toEqual([]);
    const others = [
      '  private constructor() {',
      '  /* private notes */',
      '    `private addresses`',
      ' * private networks',
    ];
    expect(others.filter((line) => PRIVATE_KEYWORD.test(line))).toEqual([]);
  });
});
