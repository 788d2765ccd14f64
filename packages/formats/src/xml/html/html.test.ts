import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { elementsOf } from './elements.ts';
import type { HtmlElement } from './html-tree.ts';
import { innerMarkup, outerMarkup } from './markup.ts';
import { parseHtml } from './reader/parse-html.ts';
import { attributeValue, compileSelector } from './selector/index.ts';
import { elementText } from './text.ts';

interface Recorded {
  readonly page: string;
  /** The texts and markup of the selected elements, by selector. */
  readonly expect: Readonly<Record<string, { text: string[]; html?: string[]; outer?: string[] }>>;
}

/** Recorded from jsoup 1.17.2. The pages and selectors were written for this test. */
const recorded: Recorded[] = JSON.parse(
  readFileSync(new URL('./jsoup-1.17-cases.generated.json', import.meta.url), 'utf8'),
);

function select(page: string, selector: string): HtmlElement[] {
  // Jsoup also selects the document itself, which has no markup.
  return compileSelector(selector)
    .select(elementsOf(parseHtml(page, true)))
    .filter(({ name }) => name !== '#root');
}

const texts = (page: string, selector: string) => select(page, selector).map(elementText);
const bodyOf = (page: string) => innerMarkup(select(page, 'body')[0] as HtmlElement);

describe('recorded cases of jsoup', () => {
  it.each(recorded)('$page', ({ page, expect: expected }) => {
    for (const [selector, { text, html, outer }] of Object.entries(expected)) {
      const found = select(page, selector);
      expect(found.map(elementText), selector).toEqual(text);
      if (html !== undefined) expect(found.map(innerMarkup), selector).toEqual(html);
      if (outer !== undefined) expect(found.slice(0, outer.length).map(outerMarkup), selector).toEqual(outer);
    }
  });
});

describe('selectors', () => {
  it.each([
    ['..', 'the name of a class is missing in the selector ".."'],
    ['p[', 'a "[" is never closed'],
    ['p:nope', ':nope is not known'],
    ['p::before', 'the name of a pseudo-class is missing'],
    ['p:not', ':not needs something in ()'],
    ['li:eq(x)', ':eq needs a number'],
    ['li:nth-child(x)', '"x" is not a formula such as 2n+1'],
    [':contains()', ':contains needs a text'],
    ['a >', 'nothing follows ">"'],
    ['a, ', 'a condition is missing'],
    ['', 'a condition is missing'],
    ['[=x]', 'the name of an attribute is missing'],
    ['a[href=]', 'the value of the attribute href is missing'],
    ['a)', '")" has no meaning'],
    [':matches(()', 'a "(" is never closed'],
    ['[a~=(]', ''],
    [':not('.repeat(60) + ')'.repeat(60), 'more than 50 nested selectors'],
  ])('refuses %s', (selector, message) => expect(() => compileSelector(selector)).toThrow(message));

  it('matches :empty and -n+2 as CSS does, unlike jsoup', () => {
    const list = '<ul><li> <b>1</b></li><li> <!-- --> </li><li>&nbsp;</li></ul>';
    expect(select(list, 'li:empty').length).toBe(1);
    expect(texts('<p>1<p>2<p>3', 'p:nth-child(-n+2)')).toEqual(['1', '2']);
  });

  it('reads escapes and quotes', () => {
    expect(texts('<p id="a.b" class="c:d">x</p>', '#a\\.b.c\\:d')).toEqual(['x']);
    expect(texts('<p title="a]b">x</p>', 'p[title="a]b"]')).toEqual(['x']);
    expect(texts('<p>f(x)</p>', 'p:contains(f\\(x\\))')).toEqual(['f(x)']);
    expect(texts('<p>f(x)</p>', 'p:contains((x))')).toEqual(['f(x)']);
    expect(texts('<svg><linearGradient>x</linearGradient></svg>', 'lineargradient')).toEqual(['x']);
  });

  it('counts the siblings in long lists only once', () => {
    const list = `<ul>${'<li>x</li>'.repeat(20_000)}</ul>`;
    expect(select(list, 'li:nth-child(2n)').length).toBe(10_000);
    expect(select(list, 'li:nth-last-of-type(2n)').length).toBe(10_000);
  });
});

describe('pages', () => {
  it('closes tags that end in a slash, and leaves text in its table', () => {
    expect(bodyOf('<div/>a<span/>b<foo/>c<br/><script/>d')).toBe(
      '<div></div>a<span></span>b<foo />c\n<br>\n<script></script>d',
    );
    expect(texts('<table>a<tr><td>b</td></tr></table>', 'table')).toEqual(['a b']);
  });

  it('distinguishes attributes without a value from empty ones', () => {
    expect(bodyOf('<p data-a data-b="" checked="" disabled=DISABLED title=\'"&nbsp;<>&amp;\'></p>')).toBe(
      '<p data-a data-b="" checked disabled title="&quot;&nbsp;<>&amp;"></p>',
    );
  });

  it('accepts any text as a page', () => {
    for (const page of ['', '<', '</', '<!', '\u0000', '<p', '<p a="']) expect(texts(page, 'body').length).toBe(1);
  });

  it('reads deeply nested pages, up to a limit on the parsing time', () => {
    const deep = '<div>'.repeat(4_000);
    expect(texts(`${deep}x`, 'body')).toEqual(['x']);
    expect(bodyOf(`${deep}x`).length).toBeGreaterThan(4_000);
    expect(() => parseHtml('<b>'.repeat(6_000), false)).toThrow('nested more than 5000 deep');
  });

  it('selects attributes that are absolute URLs', () => {
    const links = select('<a HREF="http://e.org/b">1</a><a href="/x">2</a><a>3</a>', 'a');
    expect(links.map((link) => attributeValue(link, 'abs:href'))).toEqual(['http://e.org/b', undefined, undefined]);
    expect(links.map((link) => attributeValue(link, 'href'))).toEqual(['http://e.org/b', '/x', undefined]);
  });
});
