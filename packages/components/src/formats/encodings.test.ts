import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HeadraceError } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFileConnector, writeFiles } from '../connectors/run-file-connector.test.lib.ts';
import { CsvFormat } from './csv/csv-format.ts';
import type { FileFormat } from './handlers/file-handlers.ts';
import { JsonFormat } from './json/json-format.ts';
import { CollectingPublisher } from './testing/collecting-publisher.ts';
import { XmlFormat } from './xml/xml-format.ts';

const XML = { xmlRootPath: '/r/e', xmlIdPath: '/r/e/id', outputField: 'xml' };
const CSV_TEXT = 'id,name\n1,Zoë\n';
const JSON_TEXT = '{"id":"1","name":"Zoë"}\n';
const XML_TEXT = '<r>\n<e><id>1</id>Zoë</e></r>';

const formats: Record<string, { text: string; open: (publisher: CollectingPublisher) => FileFormat }> = {
  csv: { text: CSV_TEXT, open: ({ log }) => new CsvFormat({}, { docIdPrefix: '', log }) },
  json: { text: JSON_TEXT, open: ({ log }) => new JsonFormat({}, { docIdPrefix: '', log }) },
  xml: { text: XML_TEXT, open: ({ log }) => new XmlFormat(XML, { docIdPrefix: '', log }) },
};

async function read(name: string, bytes: Uint8Array, pieceBytes = 1_000_000) {
  const publisher = new CollectingPublisher();
  const format = formats[name]?.open(publisher) as FileFormat;
  await format.publish({ path: '/data/in', name: 'in', bytes: pieces(bytes, pieceBytes) }, publisher);
  return publisher;
}

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const littleEndian = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const bigEndian = (text: string) => littleEndian(text).swap16();
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe.each(Object.entries(formats))('a file of %s', (name, { text }) => {
  it.each([
    ['little-endian', littleEndian, 'FF FE'],
    ['big-endian', bigEndian, 'FE FF'],
  ])('in UTF-16, %s, is refused with what to do', async (_, encode, mark) => {
    for (const size of [1, 1000]) {
      const error: HeadraceError = await read(name, encode(text), size).then(
        () => expect.unreachable(),
        (error) => error,
      );
      expect(error.code).toBe('HR_SOURCE_UNREADABLE');
      expect(error.message).toBe(`/data/in: the file is UTF-16 (it begins with ${mark}), and is read as UTF-8`);
      expect(error.hint).toContain(name === 'xml' ? 'encoding: utf-16' : 'iconv -f UTF-16 -t UTF-8 ');
    }
  });

  it('in Latin-1 is read, and its first foreign byte is told, once', async () => {
    const { documents, warnings } = await read(name, latin1(text.repeat(name === 'xml' ? 1 : 3)));
    expect(documents[0]?.toJson()).toContain('Zo\ufffd');
    const line = name === 'json' ? 1 : 2;
    expect(warnings.filter((message) => message.includes('UTF-8'))).toEqual([
      expect.stringMatching(`^/data/in:${line}: byte 0xEB is not UTF-8.*U\\+FFFD.*(iconv|encoding)`),
    ]);
  });

  it('in UTF-8 is read without a word, with a byte-order mark or without', async () => {
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`)]) {
      const { documents, warnings } = await read(name, bytes, 1);
      expect(documents[0]?.toJson()).toContain('Zoë');
      expect(warnings.filter((message) => message.includes('UTF-8'))).toEqual([]);
    }
  });
});

describe('bytes that are not UTF-8', () => {
  it('are told with their line, far behind in a large file too', async () => {
    const lines = `1,${'é'.repeat(50)}\n`.repeat(40_000);
    const bytes = Buffer.concat([Buffer.from(`k,v\n${lines}`), latin1('2,ü\n3,ö\n')]);
    const { warnings } = await read('csv', bytes);
    expect(warnings).toEqual([expect.stringMatching(/^\/data\/in:40002: byte 0xFC is not UTF-8/)]);
  });

  it('are told of a header, and count lines at any line end', async () => {
    expect((await read('csv', latin1('k,é\n1,2\n'))).warnings).toEqual([expect.stringContaining('in:1: byte 0xE9')]);
    expect((await read('csv', latin1('k\r1\r\n2\ré\r'))).warnings).toEqual([
      expect.stringContaining('in:4: byte 0xE9'),
    ]);
  });

  it('in XML are told in the element that has them', async () => {
    const text = '<r>\n<e><id>1</id></e>\n<e><id>2</id>\n\u00e9</e></r>';
    expect((await read('xml', latin1(text))).warnings).toEqual([expect.stringContaining('in:4: byte 0xE9')]);
  });
});

describe('FileConnector', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-encodings-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('fails a file in UTF-16 alone, and warns of each file with foreign bytes', async () => {
    await writeFiles(folder, {
      'a.csv': littleEndian('k\n1\n'),
      'b.csv': 'k\n1\n',
      'c.jsonl': bigEndian('{"id":"x"}\n'),
      'd.jsonl': '{"id":"y"}\n',
      'e.csv': latin1('k\né\n'),
      'f.csv': latin1('k\né\n'),
    });
    const { found, rejected, warnings } = await runFileConnector(folder, { fileHandlers: { csv: {}, json: {} } });
    expect(found).toEqual(['b.csv-1', 'e.csv-1', 'f.csv-1', 'y']);
    expect(rejected).toEqual([
      expect.stringMatching(/^a\.csv: the file is UTF-16 .*iconv/),
      expect.stringMatching(/^c\.jsonl: the file is UTF-16 .*iconv/),
    ]);
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^e\.csv:2: byte 0xE9/),
      expect.stringMatching(/^f\.csv:2: byte 0xE9/),
    ]);
  });

  it('tells what it thinks of a header once a run, however many files and paths have it', async () => {
    const escaped = 'id,k,k\n1,a\\,b,2\n';
    await writeFiles(folder, { 'x/a.csv': escaped, 'x/b.csv': 'id,v\n1,2\n', 'x/c.csv': escaped, 'y/d.csv': escaped });
    const { warnings } = await runFileConnector(folder, {
      paths: ['x', 'y'].map((name) => join(folder, name)),
      fileHandlers: { csv: {} },
    });
    expect(warnings.filter((message) => message.includes('column "id" makes no field'))).toHaveLength(1);
    expect(warnings.filter((message) => message.includes('column "k" occurs more than once'))).toHaveLength(1);
    expect(warnings.filter((message) => message.includes('backslashes'))).toHaveLength(1);
    expect(warnings).toHaveLength(3);
  });
});
