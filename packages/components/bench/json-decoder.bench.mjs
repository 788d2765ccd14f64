// Measures how many documents per second the JSON decoder creates on one core, and how many the encoders write.
// Run after a build: node packages/components/bench/json-decoder.bench.mjs
import { CsvEncoder } from '../dist/file-formats/csv/csv-encoder.js';
import { JsonDecoder } from '../dist/file-formats/json/json-decoder.js';
import { JsonEncoder } from '../dist/file-formats/json/json-encoder.js';

const ROWS = 3000;
const SECONDS = 2;

function lines(change) {
  let text = '';
  for (let row = 0; row < ROWS; row++) {
    const object = { id: `document-${row}`, number: row, flag: row % 2 === 0, nothing: null };
    for (let i = 0; i < 7; i++) object[`field_${i}`] = `${row}-${i} lorem ipsum dolor sit amet`;
    text += `${change(object, row)}\n`;
  }
  return Buffer.from(text);
}

const CASES = {
  flat: lines((object) => JSON.stringify(object)),
  'with spaces': lines((object) => JSON.stringify(object).replaceAll(/"([:,])"/g, '"$1 "')),
  'not ASCII': lines((object) => JSON.stringify({ ...object, field_3: 'é日本' })),
  escapes: lines((object) => JSON.stringify({ ...object, field_3: 'line\nbreak' })),
  nested: lines((object) => JSON.stringify({ ...object, field_3: { a: [1, 2.5], b: 'x' } })),
  'changing shape': lines((object, row) => JSON.stringify({ ...object, [`extra_${row % 3}`]: 1 })),
};

function perSecond(work) {
  const until = process.hrtime.bigint() + BigInt(SECONDS * 5e8);
  while (process.hrtime.bigint() < until) work();
  const start = process.hrtime.bigint();
  let count = 0;
  let seconds = 0;
  for (; seconds < SECONDS; seconds = Number(process.hrtime.bigint() - start) / 1e9) count += work();
  return Math.round(count / seconds)
    .toLocaleString('en')
    .padStart(10);
}

for (const [name, bytes] of Object.entries(CASES)) {
  const decoder = new JsonDecoder({ settings: {}, docIdPrefix: '' });
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
    decoder.decode(bytes, { path: 'in.jsonl', layout: 'lines', line: 1, lineStart: true }, sink);
    return held.length;
  });
  const json = new JsonEncoder({ whitelist: [], blacklist: [] });
  const csv = new CsvEncoder({ columns: held[0].fieldNames });
  const encode = (encoder) =>
    perSecond(() => {
      let characters = 0;
      for (const document of held) characters += encoder.encode(document).length;
      return characters > 0 ? held.length : 0;
    });
  console.log(`${name.padEnd(16)} ${decoded} decoded/s ${encode(json)} as JSON/s ${encode(csv)} as CSV/s`);
}
