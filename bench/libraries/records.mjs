// Compares reading CSV, JSON and XML files with libraries. Needs csv-parse, papaparse, lossless-json and saxes.
import { readJson } from '@headrace/engine';
import { CsvParser, CsvScanner } from '@headrace/formats/records/csv';
import { JsonLineScanner } from '@headrace/formats/records/json';
import { splitXml, XmlRecordFinder } from '@headrace/formats/records/xml';
import { asyncRate } from '../rate.mjs';
import { compare, library } from './library.mjs';

const { parse: parseCsv } = library('csv-parse/sync');
const { default: papa = library('papaparse') } = library('papaparse');
const lossless = library('lossless-json');
const { SaxesParser } = library('saxes');

const repeated = (row) => Array.from({ length: 10_000 }, (_, i) => row(i)).join('');
const dialect = { separator: ',', quote: '"', escapes: false, comment: '' };

const csv = repeated((i) => `${i},"a boat, in the harbour",12.5,2021-02-03\n`);
const csvBytes = Buffer.from(csv);
/** Reads CSV as a run does: it cuts the bytes and reads the rows. A run uses two threads for this, here it is one. */
function readCsv() {
  new CsvScanner(dialect).scan(csvBytes, 0, csvBytes.length, false);
  const parser = new CsvParser(dialect);
  parser.load(csvBytes.toString());
  while (!parser.done) parser.next();
}
const megabytes = csvBytes.length / 1e6;
await compare('CSV, csv-parse', 'MB/s', readCsv, () => parseCsv(csvBytes), megabytes);
await compare('CSV, papaparse', 'MB/s', readCsv, () => papa.parse(csvBytes.toString()), megabytes);

const rows = Array.from(
  { length: 1000 },
  (_, i) => `{"id":${i},"price":12.50,"text":"a \\"boat\\"","list":[1,{"a":2}]}`,
);
const size = rows.join('').length / 1e6;
const all = (work) => () => {
  for (const row of rows) work(row);
};
await compare(
  'exact JSON, lossless-json',
  'MB/s',
  all(readJson),
  all((row) => lossless.parse(row)),
  size,
);
const withSource = (_key, value, context) => (typeof value === 'number' ? context.source : value);
await compare(
  'exact JSON, JSON.parse with sources',
  'MB/s',
  all(readJson),
  all((row) => JSON.parse(row, withSource)),
  size,
);
const lines = Buffer.from(`${rows.join('\n')}\n`);
const cut = () => new JsonLineScanner().scan(lines, 0, lines.length, false);
await compare('JSON lines cut, or parsed to find their end', 'MB/s', cut, all(JSON.parse), size);

/**
 * Finds what XmlConnector needs: the positions of the elements at a path, and the text of another element as their id.
 */
function cutWithSaxes(text) {
  const parser = new SaxesParser();
  const found = [];
  let [depth, start, id, inId] = [0, 0, '', false];
  parser.on('opentag', ({ name }) => {
    if (++depth === 2) [start, id] = [parser.position, ''];
    inId = depth === 3 && name === 'title';
  });
  parser.on('text', (part) => {
    if (inId) id += part;
  });
  parser.on('closetag', () => {
    inId = false;
    if (--depth === 1) found.push([start, parser.position, id]);
  });
  parser.write(text).close();
  return found;
}
const sentence = 'The boats come back to the harbour before sunrise. '.repeat(4);
const samples = {
  'short elements': (i) => `<item id="${i}"><title>A boat &amp; a net</title></item>`,
  'longer texts': (i) => `<item id="${i}"><title>Boat ${i}</title><text>${sentence}</text></item>`,
};
for (const [name, row] of Object.entries(samples)) {
  const bytes = Buffer.from(`<list>${repeated(row)}</list>`);
  const cutOurs = async () => {
    for await (const _part of splitXml([bytes], new XmlRecordFinder(['list', 'item'], ['item', 'title']))) {
      // Only cutting is measured, so the elements are not used.
    }
  };
  const cutTheirs = async () => cutWithSaxes(bytes.toString());
  await compare(`XML cut, ${name}, saxes`, 'MB/s', cutOurs, cutTheirs, bytes.length / 1e6, asyncRate);
}
