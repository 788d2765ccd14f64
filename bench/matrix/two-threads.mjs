// The frame of the programs by hand: two threads receive pieces of the file and return bytes. See ../limit.mjs.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { bulkWriter, Output } from './output.mjs';

const PIECE = 1024 * 1024;
const LF = 10;
const QUOTE = 34;

/**
 * Runs a program by hand, and prints the number of written documents.
 *
 * @param options
 *   - `program`: the URL of its module, which each thread loads
 *   - `rows(text, record, output)`: does the work of a piece and returns the number of documents
 *   - `data`, `out`: the files to read and to write; `bulk`: an address for bulk requests
 *   - `header`: whether the first line is no record
 *   - `ascii`: whether all texts are ASCII
 *   - `quotes`: whether cells may be quoted, so that they may contain line breaks
 */
export async function run(options) {
  if (isMainThread) await main(options);
  else {
    parentPort.on('message', ({ number, bytes, record }) => {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const text = options.ascii ? buffer.latin1Slice() : buffer.utf8Slice();
      const output = new Output(options);
      const count = options.rows(text, record, output);
      const result = output.end();
      parentPort.postMessage({ number, count, bytes: result, ends: output.ends }, [result.buffer]);
    });
  }
}

async function main(options) {
  const read = reader(options);
  const write = options.bulk === undefined ? fileWriter(options.out) : bulkWriter(options.bulk);
  let number = 0;
  let count = 0;
  const work = () => {
    const worker = new Worker(new URL(options.program));
    return new Promise((resolve, reject) => {
      let open = 0;
      const feed = () => {
        const piece = read();
        if (piece === undefined) return open === 0 ? resolve(worker.terminate()) : undefined;
        open++;
        worker.postMessage({ number: number++, ...piece }, [piece.bytes.buffer]);
      };
      worker.on('message', (result) => {
        count += result.count;
        write.piece(result).then(() => {
          open--;
          feed();
        }, reject);
      });
      worker.on('error', reject);
      feed();
      feed();
    });
  };
  await Promise.all([work(), work()]);
  write.close();
  console.log(`${count} documents`);
}

/** Yields the pieces of a file, each with the number of its first record. */
function reader({ data, header, quotes }) {
  const input = openSync(data, 'r');
  let position = 0;
  let record = 1;
  if (header) {
    const start = Buffer.alloc(16_384);
    readSync(input, start, 0, start.length, 0);
    position = start.indexOf(LF) + 1;
  }
  return () => {
    const bytes = Buffer.allocUnsafeSlow(PIECE);
    const length = readSync(input, bytes, 0, PIECE, position);
    const { end, records } = (quotes ? countQuoted : countLines)(bytes.subarray(0, length));
    if (end === 0) return undefined;
    const piece = { bytes: bytes.subarray(0, end), record };
    position += end;
    record += records;
    return piece;
  };
}

function countLines(bytes) {
  let records = 0;
  let end = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, end)) {
    records++;
    end = at + 1;
  }
  return { end, records };
}

/** Counts the line breaks in quotes, which end no record. */
function countQuoted(bytes) {
  let records = 0;
  let end = 0;
  let quoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) quoted = !quoted;
    else if (byte === LF && !quoted) {
      records++;
      end = i + 1;
    }
  }
  return { end, records };
}

/** Writes pieces in order. Without a file it writes nothing. */
function fileWriter(out) {
  const file = out === undefined ? undefined : openSync(out, 'w');
  const early = new Map();
  let next = 0;
  return {
    async piece({ number, bytes }) {
      if (file === undefined) return;
      early.set(number, bytes);
      for (; early.has(next); early.delete(next++)) writeSync(file, early.get(next));
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}
