// Measures how many documents per second the CSV decoder creates on one core, and how fast a file is cut into pieces.
// Run after a build: node packages/components/bench/csv-decoder.bench.mjs

import { CsvScanner } from '@headrace/formats/records/csv';
import { CsvDecoder } from '../dist/file-formats/csv/csv-decoder.js';

const COLUMNS = 10;
const ROWS = 3000;
const SECONDS = 2;

function rows(cell, lineEnd = '\n') {
  let text = '';
  for (let row = 0; row < ROWS; row++) {
    const cells = Array.from({ length: COLUMNS }, (_, column) =>
      cell(`${row}-${column}-`.padEnd(33, 'abcdefgh '), column),
    );
    text += cells.join(',') + lineEnd;
  }
  return Buffer.from(text);
}

const CASES = {
  plain: rows((text) => text),
  CRLF: rows((text) => text, '\r\n'),
  'not ASCII': rows((text, column) => (column === 3 ? text.replace('a', 'é') : text)),
  'all quoted': rows((text) => `"${text}"`),
  'some quoted, with separators': rows((text, column) => (column === 4 ? `"a, ${text}"` : text)),
  'doubled quotes': rows((text, column) => (column === 4 ? `"a ""b"" ${text}"` : text)),
  backslashes: rows((text, column) => (column === 4 ? `a\\,${text}` : text)),
};

const header = Array.from({ length: COLUMNS }, (_, column) => `column_${column}`);
const position = { path: '/data/in.csv', name: 'in.csv', record: 1, line: 2 };

function perSecond(work) {
  const until = process.hrtime.bigint() + BigInt(SECONDS * 5e8);
  while (process.hrtime.bigint() < until) work();
  const start = process.hrtime.bigint();
  let count = 0;
  let seconds = 0;
  for (; seconds < SECONDS; seconds = Number(process.hrtime.bigint() - start) / 1e9) count += work();
  return count / seconds;
}

for (const [name, bytes] of Object.entries(CASES)) {
  const decoder = new CsvDecoder({
    header,
    settings: {},
    dialect: { separator: ',', quote: '"', escapes: true, comment: '' },
    docIdPrefix: '',
  });
  let held = [];
  const sink = {
    document: (document) => void held.push(document),
    reject: (record) => {
      throw new Error(`${record.place}: ${record.message}`);
    },
    warn() {},
  };
  const decoded = perSecond(() => {
    held = [];
    decoder.decode(bytes, position, sink);
    return held.length;
  });
  const dialect = { separator: ',', quote: '"', escapes: true, comment: '' };
  const scanned = perSecond(() => {
    new CsvScanner(dialect).scan(bytes, 0, bytes.length, false);
    return bytes.length;
  });
  console.log(
    `${name.padEnd(30)} ${Math.round(decoded).toLocaleString('en').padStart(10)} documents/s` +
      `   ${Math.round(scanned / 1e6)
        .toLocaleString('en')
        .padStart(6)} MB/s cut`,
  );
}
