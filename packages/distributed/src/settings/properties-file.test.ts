import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProperties } from './properties-file.ts';

describe('a Java properties file', () => {
  // The examples of the documentation of java.util.Properties.load, and what follows from it.
  it.each([
    ['Truth = Beauty', { Truth: 'Beauty' }],
    [' Truth:Beauty', { Truth: 'Beauty' }],
    ['Truth                    :Beauty', { Truth: 'Beauty' }],
    ['Truth Beauty', { Truth: 'Beauty' }],
    [
      'fruits           apple, banana, pear, \\\n                 cantaloupe',
      { fruits: 'apple, banana, pear, cantaloupe' },
    ],
    ['cheeses', { cheeses: '' }],
    ['cheeses=', { cheeses: '' }],
    ['# a comment\n! another\n\n  # indented\na=1', { a: '1' }],
    ['a=1\r\nb=2\rc=3\n', { a: '1', b: '2', c: '3' }],
    ['a=1\na=2', { a: '2' }],
    ['a\\ b\\:c\\=d = x', { 'a b:c=d': 'x' }],
    ['path=C:\\\\kafka\\\\certs', { path: 'C:\\kafka\\certs' }],
    ['path=ends\\\\\nnext=1', { path: 'ends\\', next: '1' }],
    ['tab=\\t, line=\\n, other=\\z', { tab: '\t, line=\n, other=z' }],
    ['u=\\u00fc\\u20ac', { u: 'ü€' }],
    ['a=b=c:d', { a: 'b=c:d' }],
    ['a= trailing ', { a: 'trailing ' }],
    ['#comment with a backslash \\\na=1', { a: '1' }],
    ['# C:\\\na=1', { a: '1' }],
    ['\\#a=1', { '#a': '1' }],
    [
      'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\\n  username="u" \\\n  password="p=:#!";',
      {
        'sasl.jaas.config':
          'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p=:#!";',
      },
    ],
    ['', {}],
  ])('%j is read as Java reads it', (text, properties) => {
    expect(readProperties(text)).toEqual(properties);
  });

  it('is read as it was written, for any names and values', () => {
    const escaped = (text: string) =>
      Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
    const text = fc.string({ unit: 'binary' });
    const name = text.filter((one) => one !== '' && one !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(name, text), (properties) => {
        const lines = Object.entries(properties).map(([key, value]) => `${escaped(key)}=${escaped(value)}`);
        expect(readProperties(lines.join('\n'))).toEqual({ ...properties });
      }),
    );
  });

  it('is read in a time that grows with its length', () => {
    const text = `a=${'\\\\'.repeat(50_000)}\n${' \t'.repeat(50_000)}\n${'b\\'.repeat(50_000)}`;
    expect(Object.keys(readProperties(text))[0]).toBe('a');
  });
});
