// Measures how fast files are cut into records, and CSV is read. After a build: node
// packages/formats/bench/records.bench.mjs
import { CsvParser, CsvScanner } from '@headrace/formats/records/csv';
import { JsonLineScanner, JsonValueScanner } from '@headrace/formats/records/json';
import { splitXml, XmlRecordFinder } from '@headrace/formats/records/xml';
import { asyncRate, rate, report } from '../../../bench/rate.mjs';

const ROWS = 10_000;
const repeated = (row) => Array.from({ length: ROWS }, (_, i) => row(i)).join('');
const megabytes = (work, bytes) => (rate(work) * bytes.length) / 1e6;
const scan = (scanner, bytes) => () => scanner().scan(bytes, 0, bytes.length, false);

const dialect = { separator: ',', quote: '"', escapes: true, comment: '' };
const plain = repeated((i) => `${i},a boat in the harbour,12.5,2021-02-03\n`);
const quoted = repeated((i) => `${i},"a boat, in the ""harbour""",12.5,"2021-02-03"\n`);
for (const [name, text] of Object.entries({ plain, quoted })) {
  const bytes = Buffer.from(text);
  report(
    `cut CSV, ${name}`,
    megabytes(
      scan(() => new CsvScanner(dialect), bytes),
      bytes,
    ),
    'MB/s',
  );
  const parser = new CsvParser(dialect);
  const parse = () => {
    parser.load(text);
    while (!parser.done) parser.next();
  };
  report(`read CSV, ${name}`, megabytes(parse, bytes), 'MB/s');
}
const json = Buffer.from(repeated((i) => `{"id":${i},"text":"a \\"boat\\"","list":[1,{"a":2}]}\n`));
report(
  'cut JSON Lines',
  megabytes(
    scan(() => new JsonLineScanner(), json),
    json,
  ),
  'MB/s',
);
report(
  'cut JSON values',
  megabytes(
    scan(() => new JsonValueScanner(), json),
    json,
  ),
  'MB/s',
);
const xml = Buffer.from(`<list>${repeated((i) => `<item id="${i}"><title>A boat &amp; a net</title></item>`)}</list>`);
const split = async () => {
  for await (const _part of splitXml([xml], new XmlRecordFinder(['list', 'item'], ['item', 'title']))) {
    // Only cutting is measured, so the pieces are not used.
  }
};
report('cut XML elements', ((await asyncRate(split)) * xml.length) / 1e6, 'MB/s');
