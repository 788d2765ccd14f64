// The job of csv-data.mjs written by hand for this file and these nine stages. It shows the limit of the machine. Two
// threads receive pieces of the file and return bytes. There are no features, no checks and no document counts.
// node bench/limit.mjs FILE [OUT]: without OUT nothing is written, as with the Nop indexer.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const PIECE = 1024 * 1024;
const LF = 10;
let _made;
const SOURCE = '/data/data.csv';
const RUN_ID = '0c0e7a5e-0000-4000-8000-000000000000';

if (isMainThread) await main(process.argv[2], process.argv[3]);
else parentPort.on('message', ({ number, bytes, first }) => work(number, bytes, first, workerData.write));

async function main(path, out) {
  const input = openSync(path, 'r');
  const output = out === undefined ? undefined : openSync(out, 'w');
  const header = Buffer.alloc(4096);
  readSync(input, header, 0, header.length, 0);
  let position = header.indexOf(LF) + 1;
  let next = 0;
  let record = 1;
  let written = 0;
  let rows = 0;
  const early = new Map();
  const read = () => {
    const bytes = new Uint8Array(PIECE);
    const length = readSync(input, bytes, 0, PIECE, position);
    const end = bytes.lastIndexOf(LF, length - 1) + 1;
    position += end;
    return end === 0 ? undefined : bytes.subarray(0, end);
  };
  const started = performance.now();
  await Promise.all(
    [0, 1].map(() => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { write: output !== undefined } });
      return new Promise((resolve, reject) => {
        let open = 0;
        const feed = () => {
          const bytes = read();
          if (bytes === undefined) return open === 0 ? resolve(worker.terminate()) : undefined;
          open++;
          // The ids contain the record numbers.
          const first = record;
          const buffer = Buffer.from(bytes.buffer, 0, bytes.length);
          for (let at = buffer.indexOf(LF); at >= 0; at = buffer.indexOf(LF, at + 1)) record++;
          worker.postMessage({ number: next++, bytes, first }, [bytes.buffer]);
        };
        worker.on('message', ({ number, bytes, count }) => {
          open--;
          rows += count;
          early.set(number, bytes);
          for (; early.has(written); early.delete(written++)) {
            const piece = early.get(written);
            if (output !== undefined) writeSync(output, piece);
          }
          feed();
        });
        worker.on('error', reject);
        feed();
        feed();
      });
    }),
  );
  if (output !== undefined) closeSync(output);
  console.log(`${rows} rows in ${((performance.now() - started) / 1000).toFixed(3)} s`);
}

/** Processes one row at a time: cells, nine stages, and the output row of the CSV indexer. */
function work(number, bytes, first, write) {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).latin1Slice();
  let csv = '';
  let length = 0;
  let record = first;
  const target = write ? Buffer.allocUnsafeSlow(bytes.length * 2) : undefined;
  for (let at = 0; at < text.length; ) {
    const cells = [];
    for (let i = 0; i < 9; i++) {
      const end = text.indexOf(',', at);
      cells.push(text.slice(at, end));
      at = end + 1;
    }
    const lineEnd = text.indexOf('\n', at);
    cells.push(text.slice(at, lineEnd));
    at = lineEnd + 1;
    const [sku, title, , brand, category, tags, price, stock, created, url] = cells;
    const document = {
      id: `data.csv-${record}`,
      source: SOURCE,
      filename: 'data.csv',
      product_id: sku,
      title: title.trim(),
      brand: brand.trim(),
      category: category.toLowerCase(),
      tags,
      price,
      stock,
      created,
      csvLineNumber: record++,
      run_id: RUN_ID,
      link: url,
      tag_list: tags.split(';'),
      year: /^(\d{4})-/.exec(created)?.[1],
      label: `${brand.trim()}: ${category}`,
      source_system: 'shop',
      batch: 7,
    };
    if (!write) {
      // The result must be used. Otherwise the compiler would remove the work.
      _made = document;
      continue;
    }
    csv +=
      `${cell(document.id)},${cell(document.product_id)},${cell(document.title)},${cell(document.brand)},` +
      `${cell(document.category)},${cell(`[${document.tag_list.join(', ')}]`)},${cell(document.price)},` +
      `${cell(document.stock)},${cell(document.created)},${cell(document.year)},${cell(document.label)},${cell(document.link)}\n`;
    if (csv.length > 16384) {
      length += target.latin1Write(csv, length);
      csv = '';
    }
  }
  const count = record - first;
  if (!write) {
    parentPort.postMessage({ number, count, bytes: new Uint8Array(0) });
    return;
  }
  length += target.latin1Write(csv, length);
  const result = target.subarray(0, length);
  parentPort.postMessage({ number, count, bytes: result }, [result.buffer]);
}

function cell(text) {
  return text.indexOf('"') < 0 ? `"${text}"` : `"${text.replaceAll('"', '""')}"`;
}
