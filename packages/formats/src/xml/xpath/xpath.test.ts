import { describe, expect, it } from 'vitest';
import { parseXml } from '../reader/parse-xml.ts';
import { compileXPath, XPathError } from './index.ts';

const xml = parseXml(
  '<r xmlns="u" xmlns:n="v" b="2" a="1" xml:lang="en-GB"><n:t>x</n:t><t>a<![CDATA[b]]>c<!--k-->d</t><?pi some?><e/><num>-0</num><num> 5. </num><e><t x="1">y</t><t>z</t></e></r>',
);

function evaluate(expression: string): string | string[] {
  const xpath = compileXPath(expression);
  return xpath.type === 'nodes' ? xpath.select(xml).map((node) => node.text) : xpath.text(xml);
}

// The results of the JDK's javax.xml.xpath, except for the text node that contains a CDATA section.
describe('XPath', () => {
  it.each<[string, string[]]>([
    ['//t', ['abcd', 'y', 'z']],
    ['/r/t', ['abcd']],
    ['//e//t', ['y', 'z']],
    ['//t[1]', ['abcd', 'y']],
    ['(//t)[2]', ['y']],
    ['//t[last()]', ['abcd', 'z']],
    ['//t[position() < 2]/@x', ['1']],
    ['//t[@x]', ['y']],
    ["//t[@x='1' or .='z']", ['y', 'z']],
    ['//t[not(@x)][2]', []],
    ['//n:t', []],
    ['//n:*', []],
    ["//*[name()='n:t']", ['x']],
    ["//*[local-name()='t']", ['x', 'abcd', 'y', 'z']],
    ['//@*', ['1', '2', 'en-GB', '1']],
    ['//namespace::n', ['v']],
    ['//t/text()', ['abc', 'd', 'y', 'z']],
    ['//comment()', ['k']],
    ["//processing-instruction('pi')", ['some']],
    ['//processing-instruction("no")', []],
    ['//t/..', ['xabcd-0 5. yz', 'yz']],
    ['//num[2]/preceding-sibling::*[1]', ['-0']],
    ['//num[1]/following::t', ['y', 'z']],
    ['//e/preceding::num', ['-0', ' 5. ']],
    ['//t[2]/ancestor::*', ['xabcd-0 5. yz', 'yz']],
    ['//@x/../following-sibling::node()', ['z']],
    ['/..', []],
    ['//t | //num | //t', ['abcd', '-0', ' 5. ', 'y', 'z']],
    ['//*[. = //num]', ['-0', ' 5. ']],
    ['//num[. < 1]', ['-0']],
    ['//div | //*[* and not(@a)]', ['yz']],
    ["//t[lang('en')][1]", ['abcd', 'y']],
    ["id('i')", []],
  ])('selects %s', (expression, nodes) => expect(evaluate(expression)).toEqual(nodes));

  it.each([
    ['1 div 0', 'Infinity'],
    ['-(0)', '0'],
    ['100000000000 * 100000000000', '10000000000000000000000'],
    ['-0.0000001', '-0.0000001'],
    ['0.1 + 0.2', '0.30000000000000004'],
    ['5 mod -2', '1'],
    ['-5 mod 2', '-1'],
    ['round(-0.5)', '0'],
    ['round(2.5)', '3'],
    ["number('+5')", 'NaN'],
    ["number(' 5. ')", '5'],
    ["number('-.5')", '-0.5'],
    ['sum(//num)', '5'],
    ['3 -2', '1'],
    ['--3', '3'],
    ["substring('12345', 1.5, 2.6)", '234'],
    ["substring('12345', 0 div 0, 3)", ''],
    ["substring('12345', 2)", '2345'],
    ["substring('12345', -1, 3)", '1'],
    ["substring-before('a-b', '-')", 'a'],
    ["substring-after('a-b', '-')", 'b'],
    ["substring-after('a-b', '+')", ''],
    ["translate('abc', 'ab', 'x')", 'xc'],
    ["normalize-space('  a \n b ')", 'a b'],
    ["string-length('😀')", '2'],
    ["concat('a', 1, true())", 'a1true'],
    ['string(//zzz)', ''],
    ['count(//t)', '3'],
    ["starts-with(//t, 'ab') and contains('abc', 'c')", 'true'],
    ['true() > false()', 'true'],
    ["true() = 'x'", 'true'],
    ['//t = true()', 'true'],
    ["//zzz != 'a'", 'false'],
    ["'a' < 'b'", 'false'],
    ['3 > 2 > 1', 'false'],
    ["boolean('')", 'false'],
    ['* * *', 'NaN'],
    ['name(/r/*)', 'n:t'],
    ['local-name(/r/*)', 't'],
    ['namespace-uri(//t)', ''],
  ])('evaluates %s', (expression, text) => expect(evaluate(expression)).toBe(text));

  it.each([
    ['', 'a step (a name, "*", "@", "." or "..") was expected, but the expression ends'],
    ['//[', 'a step (a name, "*", "@", "." or "..") was expected, but found "[" at 3'],
    ['a]', 'an operator or the end was expected, but found "]" at 2'],
    ['a b', 'an operator or the end was expected, but found "b" at 3'],
    ['a[1', '"]" was expected, but the expression ends'],
    ['"x', 'the quote at 1 is never closed'],
    ['a ! b', '"!" at 3 has no meaning in XPath'],
    ['a==b', 'a step (a name, "*", "@", "." or "..") was expected, but found "=" at 3'],
    ['foo::b', 'there is no axis "foo"'],
    ['foo()', 'there is no function "foo"'],
    ['constructor()', 'there is no function "constructor"'],
    ['count()', 'count() takes 1 argument, not 0'],
    ["concat('a')", 'concat() takes at least 2 arguments, not 1'],
    ["count('a')", 'count() takes nodes, not a string'],
    ['1 | 2', '| needs nodes, not a number'],
    ["'a'/b", 'a path needs nodes, not a string'],
    ['$x', 'variables have no value here'],
    ['('.repeat(200), 'the expression is nested more than 100 deep'],
  ])('refuses %s', (expression, message) => {
    expect(() => compileXPath(expression)).toThrow(new XPathError(message));
  });

  it('evaluates nested predicates in linear time', () => {
    const nested = `//a${'[//b'.repeat(90)}${']'.repeat(90)}`;
    expect(evaluate(nested)).toEqual([]);
  });
});

describe('XPath with namespaces', () => {
  const text =
    '<r xmlns:d="urn:dc" xmlns:x="urn:x" xmlns="urn:def"><d:title d:lang="en" lang="no">A</d:title><x:title>B</x:title><title>C</title><i xmlns:d="urn:other"><d:title>D</d:title></i></r>';
  const namespaces = new Map([
    ['dc', 'urn:dc'],
    ['def', 'urn:def'],
    ['d', 'urn:other'],
  ]);
  const select = (expression: string, xml = text) =>
    compileXPath(expression, namespaces)
      .select(parseXml(xml))
      .map((node) => node.text);

  it('finds names by their namespace, with any prefix', () => {
    expect(select('//dc:title')).toEqual(['A']);
    expect(select('//def:title')).toEqual(['C']);
    expect(select('//d:title')).toEqual(['D']);
    expect(select('//dc:*')).toEqual(['A']);
    expect(select('//@dc:*')).toEqual(['en']);
    expect(select('/r/dc:title/@dc:lang')).toEqual(['en']);
    expect(select('//title')).toEqual(['C']);
  });

  it('compares prefixes as written if the text does not declare them', () => {
    expect(select('/record/dc:title', '<record><dc:title>A</dc:title><x:title>B</x:title></record>')).toEqual(['A']);
  });

  it('names prefixes without a namespace, which match nothing', () => {
    expect(compileXPath('//x:title | //dc:a[y:b]', namespaces).unbound).toEqual(['x', 'y']);
    expect(select('//x:title')).toEqual([]);
  });
});
