import { describe, expect, it } from 'vitest';
import { parseXml } from './parse-xml.ts';

const textOf = (xml: string) => parseXml(xml).text;

describe('parseXml', () => {
  it('reads text, character references and CDATA sections', () => {
    expect(
      textOf('<?xml version="1.0" encoding="ISO-8859-1"?>\n<r>é &amp; &#233;&#x1F600;<![CDATA[<&>]]>\r\n</r>\n'),
    ).toBe('é & é😀<&>\n');
    expect(textOf('\ufeff<r>x</r>')).toBe('x');
  });

  it.each(['', 'plain', '<a><b></a>', '<a/><b/>', '<a>&b;</a>', '<a b="1" b="2"/>', '<a b=1/>', '<a>\u0001</a>'])(
    'refuses %s',
    (xml) => expect(() => parseXml(xml)).toThrow(),
  );

  it('expands entities that the document declares', () => {
    const doctype = `<!DOCTYPE r [<!ENTITY co "ACME &amp; S&#246;hne"><!-- <!ENTITY co "no"> --><!ENTITY full '&co; (&lt2;)'><!ENTITY lt2 "&#38;#60;"><!ENTITY co "later">]>`;
    expect(textOf(`${doctype}<r a="&co;">&full;</r>`)).toBe('ACME & Söhne (<)');
  });

  it.each([
    ['<!ENTITY e SYSTEM "file:///etc/passwd">', 'external'],
    ['<!ENTITY e PUBLIC "p" "http://example.org/">', 'external'],
    ['<!ENTITY e "<b/>">', 'holds markup'],
    ['<!ENTITY e "&e;">', 'refers to itself'],
    ['<!ENTITY e "&f;">', 'is not declared'],
    ['<!ENTITY e "&#x110000;">', 'is no character'],
    ['<!ENTITY % e "x">', 'undefined entity'],
  ])('refuses to expand %s, when it is used', (declaration, message) => {
    const doctype = `<!DOCTYPE r [${declaration}]>`;
    expect(textOf(`${doctype}<r>x</r>`)).toBe('x');
    expect(() => parseXml(`${doctype}<r>&e;</r>`)).toThrow(message);
  });

  it('bounds what entities expand to', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const bomb = `<!DOCTYPE r [<!ENTITY l0 "lol">${levels}]><r>&l9;</r>`;
    expect(() => parseXml(bomb)).toThrow('entities stand for more than 1000000 characters');
    const wide = `<!DOCTYPE r [<!ENTITY e "${'x'.repeat(1000)}">]><r>${'&e;'.repeat(2000)}</r>`;
    expect(() => parseXml(wide)).toThrow('entities stand for more than 1000000 characters');
  });

  it('takes deep documents', () => {
    expect(textOf(`${'<a>'.repeat(100_000)}x${'</a>'.repeat(100_000)}`)).toBe('x');
  });
});
