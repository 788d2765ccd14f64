// After a build: node packages/formats/bench/xml.bench.mjs
import { readFeed } from '@headrace/formats/xml/feed';
import { compileSelector, elementsOf } from '@headrace/formats/xml/html';
import { parseHtml } from '@headrace/formats/xml/html/reader';
import { parseXml } from '@headrace/formats/xml/reader';
import { compileXPath } from '@headrace/formats/xml/xpath';
import { asyncRate, rate, report } from '../../../bench/rate.mjs';

const items = Array.from(
  { length: 50 },
  (_, i) => `<item id="${i}"><title>Boat &amp; net ${i}</title><p>Text</p></item>`,
);
const xml = `<list>${items.join('')}</list>`;
const feed = `<rss><channel>${items.join('')}</channel></rss>`;
const html = `<html><body>${items.join('\n').replaceAll('item', 'div')}</body></html>`;
const megabytes = (work, text) => (rate(work) * text.length) / 1e6;

report(
  'read XML',
  megabytes(() => parseXml(xml), xml),
  'MB/s',
);
report(
  'read HTML',
  megabytes(() => parseHtml(html, false), html),
  'MB/s',
);
report('read a feed', ((await asyncRate(() => readFeed(feed))) * feed.length) / 1e6, 'MB/s');
const document = parseXml(xml);
for (const path of ['/list/item[25]/title', '//item[@id="25"]', 'count(//p)']) {
  const compiled = compileXPath(path);
  report(
    `XPath ${path}`,
    rate(() => compiled.text(document)),
    'documents/s',
  );
}
const elements = elementsOf(parseHtml(html, false));
for (const text of ['div > title', '[id=25] p', 'p:contains(text)']) {
  const selector = compileSelector(text);
  report(
    `selector ${text}`,
    rate(() => selector.select(elements)),
    'pages/s',
  );
}
