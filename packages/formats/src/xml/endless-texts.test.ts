import { describe, expect, it } from 'vitest';
import { declaredEntities } from './dtd-entities.ts';
import { compileSelector } from './html/index.ts';
import { parseXml } from './reader/parse-xml.ts';
import { compileXPath } from './xpath/index.ts';

const LENGTH = 500_000;
const endless = (text: string) => text.repeat(LENGTH / text.length);
const blanks = endless(' ');
const digits = endless('1');

// Code that reads such a text again for each character would exceed the timeout of the test.
describe('a text of half a million characters is read once', () => {
  const cases: Record<string, [() => unknown, unknown]> = {
    'entities after comments without an end': [() => declaredEntities(`<!ENTITY a "b">${endless('<!--')}`).a, 'b'],
    'entities after instructions without an end': [() => declaredEntities(endless('<?')).amp, '&'],
    'a number of XPath': [() => compileXPath('number(/a)').text(parseXml(`<a>${digits}x</a>`)), 'NaN'],
    'white space of XPath': [
      () => compileXPath('normalize-space(/a)').text(parseXml(`<a> x${blanks}y${blanks}</a>`)),
      'x y',
    ],
    'a formula of a selector': [
      () => {
        expect(() => compileSelector(`p:nth-child(n${blanks}x)`)).toThrow('not a formula');
      },
      undefined,
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [read, expected]) => {
    expect(read()).toEqual(expected);
  });
});
