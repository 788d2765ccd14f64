import { closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { zipOf } from '@headrace/testing/archives';

const MIB = 2 ** 20;

/**
 * `full` sends all bombs in their full size to a service with 3 GiB, which takes many minutes. `all` sends all of them, a
 * third as large, to a service with 1 GiB. Otherwise, some of these are sent.
 */
const wanted = process.env['HEADRACE_BOMBS'];
export const IS_FULL: boolean = wanted === 'full';
export const IS_ALL: boolean = wanted === 'full' || wanted === 'all';
/** A number of MiB of the full size, in the wanted size. */
export const size = (megabytes: number): number => (IS_FULL ? megabytes : Math.floor(megabytes / 3));
export const many = (documents: number): number => (IS_FULL ? documents : Math.ceil(documents * 0.3));

/** What failures say that a limit caused. A missing file or an unknown format is none: then the bomb was not read. */
export const LIMITS = /memory|heap|more than|longer than|exceeds|deep|like a zip bomb/;

/** A small input that becomes large. */
export interface Bomb {
  readonly name: string;
  /** False for a bomb that is only sent with all bombs, because others are similar. */
  readonly isUsual: boolean;
  /** The number of documents that meet the bomb at the same time. */
  readonly documents: number;
  /** The connector, as HOCON, if it is not the one that publishes `documents` documents. */
  readonly connector?: (server: string, files: string) => string;
  /** The stages of the pipeline, as HOCON. `server` is the URL of `answer`, `files` the folder of the files. */
  readonly stages: (server: string, files: string) => string;
  /** Writes the files of the bomb. */
  readonly write?: (files: string) => void;
  /** Creates the answer of the server. */
  readonly answer?: (response: ServerResponse) => void;
  /** What happens to the documents. `any`: the connector may fail before it publishes them. */
  readonly expected: 'succeeded' | 'failed' | 'either' | 'any';
  /** What each succeeded document contains in the output, if that shows that its bomb was read. */
  readonly seen?: string;
  /** What the first failure says. Defaults to `LIMITS`. */
  readonly refusal?: RegExp;
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

const A = Buffer.alloc(size(90) * MIB, 'A');
export const SPACES: Buffer = Buffer.alloc(size(300) * MIB, ' ');

/** A file that a few kilobytes describe, which many documents send through `TextExtractor`. */
function extracted(
  name: string,
  type: string,
  content: () => string | Uint8Array,
  { isUsual = false, more = '', refusal = LIMITS } = {},
): Bomb {
  const file = `${name.replaceAll(/\W+/g, '-')}.bin`;
  return {
    name: `${name} in TextExtractor`,
    isUsual,
    documents: many(6),
    expected: 'either',
    seen: `"tika_content_type":"${type}`,
    refusal,
    write: (files) => writeFileSync(join(files, file), content()),
    stages: (_, files) =>
      `{class: SetStaticValues, staticValues: {f: "${files}/${file}"}}, {class: TextExtractor, filePathField: f, onError: fail ${more}}, {class: DeleteFields, fields: [text]}`,
  };
}

const part = (name: string, content: string | Uint8Array) => ({ name, content });
const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), SPACES, Buffer.from(after)]);
const types = (name: string, type: string) =>
  part(
    '[Content_Types].xml',
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}"/></Types>`,
  );

/** A PDF file whose only object of interest is a stream. */
function pdfOf(dictionary: string, stream: Buffer): Buffer {
  const page =
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</I 4 0 R>>>>>>endobj\n';
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n${page}4 0 obj<<${dictionary}/Length ${stream.length}>>stream\n`),
    stream,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  ]);
}

/** A zip file with many entries that share one compressed content. */
function overlapping(entries: number): Buffer {
  const one = zipOf([part('a', A)]);
  const start = one.readUInt32LE(one.length - 6);
  const header = one.subarray(start, one.length - 22);
  const end = Buffer.from(one.subarray(one.length - 22));
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(header.length * entries, 12);
  return Buffer.concat([one.subarray(0, start), ...Array(entries).fill(header), end]);
}

const ZIP = 'application/zip';
const PDF = 'application/pdf';
const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const largeEntries = () => zipOf(Array.from({ length: 20 }, (_, i) => part(`${i}.txt`, A)));

/** Bombs in files of many formats. */
export const FORMATS: readonly Bomb[] = [
  extracted('gzip', 'application/gzip', () => gzipSync(SPACES)),
  extracted('gzip inside gzip', 'application/gzip', () => gzipSync(gzipSync(SPACES))),
  extracted('a zip with large entries', ZIP, largeEntries, { isUsual: true }),
  extracted('a zip with large entries and its own limits', ZIP, largeEntries, {
    isUsual: true,
    more: ', maxMemoryMb: 100000, maxExpandedMb: 100000',
  }),
  extracted('a zip with many entries', ZIP, () =>
    zipOf(Array.from({ length: 20_000 }, (_, i) => part(`${i}.txt`, 'a'))),
  ),
  extracted('a zip whose entries overlap', ZIP, () => overlapping(40)),
  extracted('a zip inside a zip', ZIP, () =>
    zipOf(Array.from({ length: 9 }, (_, i) => part(`${i}.zip`, zipOf([part('a', A)])))),
  ),
  extracted(
    'docx',
    `${OFFICE}wordprocessingml.document`,
    () =>
      zipOf([
        types('word/document.xml', 'wordprocessingml.document.main+xml'),
        part(
          'word/document.xml',
          around('<w:document xmlns:w="x"><w:body><w:p><w:r><w:t>', '</w:t></w:r></w:p></w:body></w:document>'),
        ),
      ]),
    { isUsual: true },
  ),
  extracted('xlsx', `${OFFICE}spreadsheetml.sheet`, () =>
    zipOf([
      types('xl/workbook.xml', 'spreadsheetml.sheet.main+xml'),
      part('xl/workbook.xml', '<workbook/>'),
      part('xl/sharedStrings.xml', around('<sst><si><t>', '</t></si></sst>')),
    ]),
  ),
  extracted('pptx', `${OFFICE}presentationml.presentation`, () =>
    zipOf([
      types('ppt/presentation.xml', 'presentationml.presentation.main+xml'),
      part('ppt/presentation.xml', around('<p:presentation xmlns:p="x">', '</p:presentation>')),
      part('ppt/slides/slide1.xml', around('<p:sld xmlns:p="x">', '</p:sld>')),
    ]),
  ),
  extracted('odt', 'application/vnd.oasis.opendocument.text', () =>
    zipOf([
      { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', method: 0 },
      part(
        'content.xml',
        around('<office:document-content xmlns:office="x"><office:body>', '</office:body></office:document-content>'),
      ),
    ]),
  ),
  extracted('epub', 'application/epub+zip', () =>
    zipOf([
      { name: 'mimetype', content: 'application/epub+zip', method: 0 },
      part('META-INF/container.xml', '<container><rootfiles><rootfile full-path="o.opf"/></rootfiles></container>'),
      part('o.opf', around('<package>', '</package>')),
    ]),
  ),
  extracted('a PDF page', PDF, () => pdfOf('/Filter/FlateDecode', deflateSync(SPACES)), { isUsual: true }),
  extracted(
    'a PDF image',
    PDF,
    () =>
      pdfOf(
        '/Type/XObject/Subtype/Image/Width 17000/Height 17000/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode',
        deflateSync(SPACES),
      ),
    { more: ', emitImages: true' },
  ),
  extracted(
    'xml entities',
    'application/xml',
    () => {
      const levels = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(20)}">`);
      return `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "aaaaaaaaaa">${levels.join('')}]><d>&e20;</d>`;
    },
    { refusal: /undefined entity/ },
  ),
  extracted('rtf groups', 'application/rtf', () => `{\\rtf1 ${'{\\b '.repeat(2_000_000)}`),
  extracted('html elements', 'text/html', () => `<html><body>${'<div>'.repeat(1_000_000)}a`),
  extracted('mails inside mails', 'message/rfc822', () => {
    const levels = Array.from(
      { length: 200 },
      (_, i) =>
        `From: a\nTo: b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\nContent-Type: message/rfc822\n\n`,
    );
    return levels.join('');
  }),
  extracted('a mailbox', 'application/mbox', () => 'From a\nFrom: a\nTo: b\nSubject: c\n\nx\n\n'.repeat(20_000)),
  extracted(
    'base64 in a mail',
    'message/rfc822',
    () =>
      `From: a\nTo: b\nMIME-Version: 1.0\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n${zipOf([part('a.txt', A)]).toString('base64')}`,
  ),
];

/** A tar archive with one file. */
function tarOf(content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write('a.txt');
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0        0', 136);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc(512 + 1024 - (content.length % 512))]);
}

/** A file that `FileConnector` reads, with a handler for its extension, or as the content of a document. */
export function read(name: string, extension: string, write: (path: string) => void, isUsual = false): Bomb {
  const file = `${name.replaceAll(' ', '-')}.${extension}`;
  const path = (files: string) => join(files, file);
  return {
    name: `${name} in FileConnector`,
    isUsual,
    documents: 0,
    expected: 'any',
    write: (files) => write(path(files)),
    connector: (_, files) =>
      `class: FileConnector, paths: ["${path(files)}"], fileOptions { getFileContent: true, handleArchivedFiles: true, handleCompressedFiles: true, maxArchiveDepth: 8 }, fileHandlers { csv {}, json {}, xml { xmlRootPath: "/a/b", xmlIdPath: "/a/b/id" }, mp4 { class: VideoFileHandler } }`,
    stages: () => '',
  };
}

/** Bombs that connectors read. */
export const SOURCES: readonly Bomb[] = [
  read('gzip', 'txt.gz', (path) => writeFileSync(path, gzipSync(SPACES)), true),
  read('a zip with large entries', 'zip', (path) => writeFileSync(path, largeEntries()), true),
  read('a zip whose entries overlap', 'zip', (path) => writeFileSync(path, overlapping(40))),
  read('a tar with a large entry', 'tar.gz', (path) => writeFileSync(path, gzipSync(tarOf(SPACES)))),
  read('a tgz inside a zip', 'zip', (path) => writeFileSync(path, zipOf([part('a.tgz', gzipSync(tarOf(SPACES)))]))),
  read('a large file', 'dat', (path) => sparse('', path, size(1000))),
  read('a cell', 'csv', (path) => sparse('', path, size(300))),
  read('a record', 'xml', (path) => writeFileSync(path, around('<a><b><id>', ''))),
  read('a text', 'json', (path) => writeFileSync(path, around('{"id":"', '"}'))),
  read('nested lists', 'json', (path) =>
    writeFileSync(path, `{"id":"1","a":${'['.repeat(2_500_000)}${']'.repeat(2_500_000)}}`),
  ),
  read('a number', 'json', (path) => writeFileSync(path, `{"id":"1","a":${'9'.repeat(10_000_000)}}`)),
  {
    name: 'a feed with a large item',
    isUsual: false,
    documents: 0,
    expected: 'any',
    connector: (server) => `class: RSSConnector, rssURL: "${server}/a%20feed%20with%20a%20large%20item"`,
    stages: () => '',
    answer: (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(around('<rss version="2.0"><channel><item><title>', '</title></item></channel></rss>')));
    },
  },
];

/** Stages that make large values out of small ones. */
function grown(name: string, stages: string, isUsual = false): Bomb {
  const start = '{class: SetStaticValues, staticValues: {t: "xxxxxxxxxxxxxxxx"}}';
  return { name, isUsual, documents: 30, expected: 'any', stages: () => `${start}, ${stages}` };
}

const repeated = (count: number, stage: string) => Array(count).fill(stage).join(', ');
const doubled = '{class: Concatenate, dest: t, formatString: "{t}{t}", updateMode: overwrite}';
// A text that is only the sum of texts needs no memory yet.
const flat = '{class: ReplacePatterns, source: [t], dest: [t], regex: ["y"], replacement: ""}';

export const STAGES: readonly Bomb[] = [
  grown('a text that doubles to 64 MiB', `${repeated(22, doubled)}, ${flat}`, true),
  grown('a text that doubles without end', `${repeated(40, doubled)}, ${flat}`),
  grown(
    'a text that a pattern replaces by a longer one',
    repeated(7, '{class: ReplacePatterns, source: [t], dest: [t], regex: ["."], replacement: "xxxxxxxxxx"}'),
  ),
  grown('a list that doubles', repeated(26, '{class: CopyFields, fieldMapping: {t: t}, updateMode: append}')),
  grown(
    'a text of JSONata',
    '{class: ApplyJSONata, source: t, destination: t, expression: "$pad(\\"x\\", 200000000)"}',
  ),
];
