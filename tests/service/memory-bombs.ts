import { closeSync, ftruncateSync, openSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

const MIB = 2 ** 20;

/** True to send all bombs in their full size, which takes minutes. Otherwise some of them, a third as large. */
export const IS_FULL: boolean = process.env['HEADRACE_BOMBS'] === 'full';
const size = (megabytes: number) => (IS_FULL ? megabytes : Math.floor(megabytes / 3));
const many = (documents: number) => (IS_FULL ? documents : Math.ceil(documents * 0.4));

/** A small input that becomes large. */
export interface Bomb {
  readonly name: string;
  /** False for a bomb that is only sent with all bombs, because others are similar. */
  readonly isUsual: boolean;
  /** The number of documents that meet the bomb at the same time. */
  readonly documents: number;
  /** The stages of the pipeline, as HOCON. `server` is the URL of `answer`, `files` the folder of the files. */
  readonly stages: (server: string, files: string) => string;
  /** Writes the files of the bomb. */
  readonly write?: (files: string) => void;
  /** Creates the answer of the server. */
  readonly answer?: (response: ServerResponse) => void;
  /** What happens to the documents. */
  readonly expected: 'succeeded' | 'failed' | 'either';
}

/** A compressed body of this many MiB of zeros. */
function encoded(encoding: string, megabytes: number): Buffer {
  const zeros = Buffer.alloc(megabytes * MIB);
  switch (encoding) {
    case 'gzip':
      return gzipSync(zeros, { level: 1 });
    case 'deflate':
      return deflateSync(zeros, { level: 1 });
    case 'br':
      return brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
    default:
      return zstdCompressSync(zeros);
  }
}

const FETCH = (server: string, name: string) =>
  `{class: SetStaticValues, staticValues: {u: "${server}/${name}"}}, {class: FetchUri, source: u, dest: d}, {class: DeleteFields, fields: [d]}`;

/** Documents that fetch a page with a bomb as its body. */
function compressed(encoding: string, isUsual: boolean, body: () => Buffer): Bomb {
  const name = `an answer in ${encoding}`;
  let made: Buffer | undefined;
  return {
    name,
    isUsual,
    documents: many(40),
    expected: 'succeeded',
    stages: (server) => FETCH(server, encodeURIComponent(name)),
    answer: (response) => {
      made ??= body();
      response.writeHead(200, { 'content-encoding': encoding }).end(made);
    },
  };
}

/** Bombs in the answers of web servers. */
export const ANSWERS: readonly Bomb[] = [
  ...['gzip', 'deflate', 'br', 'zstd'].map((name) => compressed(name, name === 'gzip', () => encoded(name, size(250)))),
  compressed('gzip, gzip', false, () => gzipSync(encoded('gzip', size(250)))),
  {
    name: 'endless answers',
    isUsual: true,
    documents: many(20),
    expected: 'either',
    stages: (server) => FETCH(server, 'endless%20answers'),
    answer: (response) => {
      const piece = Buffer.alloc(MIB, 'x');
      const send = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', send).writeHead(200);
      send();
    },
  },
  {
    name: 'endless headers',
    isUsual: true,
    documents: 20,
    expected: 'succeeded',
    stages: (server) => FETCH(server, 'endless%20headers'),
    answer: (response) => {
      const { socket } = response;
      const line = `x: ${'y'.repeat(1000)}\r\n`;
      socket?.write('HTTP/1.1 200 OK\r\n');
      const send = () => {
        while (socket?.destroyed === false && socket.write(line));
      };
      socket?.on('drain', send);
      socket?.on('error', () => undefined);
      send();
    },
  },
];

/** A file of zeros that takes no space on the disk. */
function sparse(files: string, name: string, megabytes: number): void {
  const file = openSync(join(files, name), 'w');
  ftruncateSync(file, megabytes * MIB);
  closeSync(file);
}

/** Bombs in files that stages read. */
export const FILES: readonly Bomb[] = [
  {
    name: 'one large file for many documents',
    isUsual: true,
    documents: many(40),
    expected: 'succeeded',
    write: (files) => sparse(files, 'big.bin', size(200)),
    stages: (_, files) =>
      `{class: SetStaticValues, staticValues: {f: "${files}/big.bin"}}, {class: FetchFileContent, filePathField: f}, {class: DeleteFields, fields: [file_content]}`,
  },
  {
    name: 'one large file that many documents send',
    isUsual: true,
    documents: many(40),
    expected: 'succeeded',
    write: (files) => sparse(files, 'middle.bin', size(60)),
    stages: (_, files) =>
      `{class: SetStaticValues, staticValues: {f: "${files}/middle.bin"}}, {class: FetchFileContent, filePathField: f}`,
  },
];
