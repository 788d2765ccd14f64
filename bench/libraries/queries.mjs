// Compares the parsers and query languages of Headrace with libraries.
// Needs saxes, @xmldom/xmldom, xpath, jsonpath-plus, json-p3 and cheerio.
import { readFileSync } from 'node:fs';
import { compileSelector, elementsOf, elementText } from '@headrace/formats/xml/html';
import { parseHtml } from '@headrace/formats/xml/html/reader';
import { parseXml } from '@headrace/formats/xml/reader';
import { compileXPath } from '@headrace/formats/xml/xpath';
import { compileJavaRegex } from '@headrace/languages/java/regex';
import { compileJsonPath } from '@headrace/languages/json-path';
import { agreement, compare, library } from './library.mjs';

const { SaxesParser } = library('saxes');
const { DOMParser } = library('@xmldom/xmldom');
const xpath = library('xpath');
const { JSONPath } = library('jsonpath-plus');
const p3 = library('json-p3');
const cheerio = library('cheerio');

const read = (path) => JSON.parse(readFileSync(new URL(`../../packages/${path}`, import.meta.url), 'utf8'));

// XML: the tree of a small document, and an XPath in it.
const sentence = 'The boats come back to the harbour before sunrise. ';
const books = Array.from(
  { length: 7 },
  (_, i) =>
    `  <book id="b${i}" lang="en">\n    <title>Boats &amp; nets ${i}</title>\n    <text>${sentence}</text>\n  </book>\n`,
);
const xml = `<books>${books.join('')}</books>`;
/** Creates the same list of nodes as `parseXml`: elements, attributes in order, texts. */
function treeOfSaxes() {
  const nodes = [];
  const node = (kind, name, value, parent) => {
    const one = { kind, name, value, parent, nodes, at: nodes.length, end: nodes.length + 1 };
    nodes.push(one);
    return one;
  };
  let parent = node('document', '', '', undefined);
  let lastText;
  const parser = new SaxesParser({ position: false });
  parser.on('opentag', ({ name, attributes }) => {
    parent = node('element', name, '', parent);
    lastText = undefined;
    const sorted = Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1));
    for (const [attribute, value] of sorted) node('attribute', attribute, value, parent);
  });
  parser.on('text', (text) => {
    if (lastText !== undefined) lastText.value += text;
    else lastText = node('text', '', text, parent);
  });
  parser.on('closetag', () => {
    parent.end = nodes.length;
    parent = parent.parent;
    lastText = undefined;
  });
  parser.write(xml).close();
  return nodes;
}
await compare('XML tree, saxes', 'documents/s', () => parseXml(xml), treeOfSaxes);
await compare(
  'XML tree, xmldom',
  'documents/s',
  () => parseXml(xml),
  () => new DOMParser().parseFromString(xml, 'text/xml'),
);
const ours = compileXPath('//book[@id="b5"]/title');
const theirs = xpath.parse('string(//book[@id="b5"]/title)');
await compare(
  'XPath, xmldom and xpath',
  'documents/s',
  () => ours.text(parseXml(xml)),
  () => theirs.evaluateString({ node: new DOMParser().parseFromString(xml, 'text/xml') }),
);

// JSONPath in the dialect of Jayway.
const { documents, cases } = read('json-path/src/jayway-cases.generated.json');
const plain = (value) => JSON.stringify(value ?? null).replace(/\{"\$(?:double|long)":"?(-?[\d.]+)"?\}/g, '$1');
const same = (answer, { definite, result }) => plain(definite ? answer[0] : answer) === plain(result);
const paths = [
  ['jsonpath-plus', (path, json) => JSONPath({ path, json, wrap: true }) ?? []],
  ['json-p3', (path, json) => p3.query(path, json).values()],
];
for (const [name, query] of paths) {
  agreement(`JSONPath, ${name}`, cases, ({ path, document, error, ...recorded }) => {
    try {
      return same(query(path, JSON.parse(plain(documents[document]))), recorded) && error !== true;
    } catch (failure) {
      if (error) return true;
      throw failure;
    }
  });
}
const toMap = (value) => {
  if (Array.isArray(value)) return value.map(toMap);
  return typeof value === 'object' && value !== null
    ? new Map(Object.entries(value).map(([key, item]) => [key, toMap(item)]))
    : value;
};
const store = { store: { book: Array.from({ length: 20 }, (_, i) => ({ title: `Book ${i}`, price: i })) } };
const stored = toMap(store);
const path = '$.store.book[?(@.price < 10)].title';
const compiled = compileJsonPath(path);
await compare(
  'JSONPath, jsonpath-plus',
  'queries/s',
  () => compiled.evaluate(stored),
  () => paths[0][1](path, store),
);

// HTML selectors in the dialect of jsoup.
const pages = read('xml/src/html/jsoup-1.17-cases.generated.json').flatMap(({ page, expect }) =>
  Object.entries(expect).map(([selector, { text }]) => ({ page, selector, text })),
);
agreement('jsoup selectors, cheerio', pages, ({ page, selector, text }) => {
  const $ = cheerio.load(page);
  const found = $(selector)
    .get()
    .map((element) => $(element).text().replace(/\s+/g, ' ').trim());
  return JSON.stringify(found) === JSON.stringify(text);
});
const page = pages.reduce((longest, { page }) => (page.length > longest.length ? page : longest), '');
const selector = compileSelector('p');
await compare(
  'select in a page, cheerio',
  'pages/s',
  () => selector.select(elementsOf(parseHtml(page, true))).map(elementText),
  () => {
    const $ = cheerio.load(page);
    return $('p')
      .get()
      .map((element) => $(element).text());
  },
);

// Regular expressions: Java patterns, compared with the same text as a JavaScript RegExp.
agreement('Java regex, RegExp', read('java-text/src/regex/java-25-cases.generated.json'), (one) => {
  const [pattern, text, flags, , expected] = one;
  let regex;
  try {
    regex = new RegExp(pattern, `g${flags.replace(/[^ims]/g, '')}`);
  } catch {
    return expected === null;
  }
  if (expected === null || /[lx]/.test(flags)) return false;
  const found = Array.from(text.matchAll(regex), ({ index, 0: match }) => [index, index + match.length]);
  return JSON.stringify(found) === JSON.stringify(expected[1].map(([start, end]) => [start, end]));
});
const text = 'The fishermen came back to the village at 05:40; 12 boats, 3 nets. '.repeat(12);
const java = compileJavaRegex('\\b\\d+\\b');
await compare(
  'find numbers, RegExp',
  'texts/s',
  () => java.findAll(text),
  () => [...text.matchAll(/\b\d+\b/g)],
);
