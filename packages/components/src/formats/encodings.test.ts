import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeadraceError, Type, withDefaults } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFileConnector, writeFiles } from '../connectors/run-file-connector.test.lib.ts';
import { CsvFormat } from './csv/csv-format.ts';
import { checkCsvSettings } from './csv/csv-settings.ts';
import { csvSettings } from './csv/publish-csv.test.lib.ts';
import type { FileFormat } from './handlers/file-handler.ts';
import { JsonFormat } from './json/json-format.ts';
import { checkJsonSettings, jsonParameters } from './json/json-settings.ts';
import { CollectingPublisher } from './testing/collecting-publisher.ts';
import { XmlFormat } from './xml/xml-format.ts';
import { checkXmlSettings, xmlParameters } from './xml/xml-settings.ts';

const XML = { ...withDefaults(Type.Object(xmlParameters)), xmlRootPath: '/r/e', xmlIdPath: '/r/e/id' };
/** The settings of a config that names none of them. */
const BASE = { csv: csvSettings(), json: withDefaults(Type.Object(jsonParameters)), xml: XML };
const CSV_TEXT = 'id,name\n1,Zoë\n';
const JSON_TEXT = '{"id":"1","name":"Zoë"}\n';
const XML_TEXT = '<r>\n<e><id>1</id>Zoë</e></r>';

const formats: Record<string, { text: string; open: (publisher: CollectingPublisher) => FileFormat }> = {
  csv: { text: CSV_TEXT, open: ({ log, notices }) => new CsvFormat(BASE.csv, { docIdPrefix: '', log, notices }) },
  json: {
    text: JSON_TEXT,
    open: ({ log, notices }) => new JsonFormat(BASE.json, { docIdPrefix: '', log, notices }),
  },
  xml: { text: XML_TEXT, open: ({ log, notices }) => new XmlFormat(XML, { docIdPrefix: '', log, notices }) },
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

describe.each(Object.entries(formats))('the format %s', (name, { text }) => {
  it.each([
    ['little-endian', littleEndian, 'FF FE'],
    ['big-endian', bigEndian, 'FE FF'],
  ])('refuses a UTF-16 file, %s, with a hint', async (_, encode, mark) => {
    for (const size of [1, 1000]) {
      const error: HeadraceError = await read(name, encode(text), size).then(
        () => expect.unreachable(),
        (error) => error,
      );
      expect(error.code).toBe('HR_SOURCE_UNREADABLE');
      expect(error.message).toBe(`/data/in: the file is UTF-16 (it begins with ${mark}), and is read as UTF-8`);
      expect(error.hint).toBe('Set encoding: utf-16, or auto.');
    }
  });

  it.each([
    ['utf-16le', (bytes: Buffer) => bytes],
    ['utf-16be', (bytes: Buffer) => bytes.swap16()],
  ])('refuses a file in %s without a byte-order mark, with a hint', async (encoding, order) => {
    for (const size of [1, 1000]) {
      const bytes = order(Buffer.from(text, 'utf16le'));
      await expect(read(name, bytes, size)).rejects.toMatchObject({
        code: 'HR_SOURCE_UNREADABLE',
        message: '/data/in: the file is UTF-16 (about every other byte is zero), and is read as UTF-8',
        hint: `Set encoding: ${encoding}, or auto.`,
      });
    }
  });

  it('reads Latin-1 as UTF-8 and reports the first invalid byte once', async () => {
    const { documents, warnings } = await read(name, latin1(text.repeat(name === 'xml' ? 1 : 3)));
    expect(documents[0]?.toJson()).toContain('Zo\ufffd');
    const line = name === 'json' ? 1 : 2;
    expect(warnings.filter((message) => message.includes('UTF-8'))).toEqual([
      expect.stringMatching(`^/data/in:${line}: byte 0xEB is not UTF-8.*U\\+FFFD.*encoding.*windows-1252`),
    ]);
  });

  it('reads UTF-8 without a warning, with or without a byte-order mark', async () => {
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`)]) {
      const { documents, warnings } = await read(name, bytes, 1);
      expect(documents[0]?.toJson()).toContain('Zoë');
      expect(warnings.filter((message) => message.includes('UTF-8'))).toEqual([]);
    }
  });
});

describe('bytes that are not UTF-8', () => {
  it('are counted with encoding auto if the rest of the file is UTF-8', async () => {
    const publisher = new CollectingPublisher();
    const rows = Buffer.from('Müller Straße Zoë\n'.repeat(1000));
    const context = { docIdPrefix: '', log: publisher.log, notices: publisher.notices };
    const open = (more: object) => new CsvFormat(csvSettings({ encoding: 'auto', ...more }), context);
    const file = (bytes: Buffer) => ({ path: '/data/in', name: 'in', bytes: pieces(bytes, 1000) });
    const bytes = Buffer.concat([Buffer.from('k\n'), rows, Buffer.from([0xff, 0x0a])]);
    await open({}).publish(file(bytes), publisher);
    expect(publisher.documents).toHaveLength(1001);
    expect(publisher.documents[7]?.text('k')).toBe('Müller Straße Zoë');
    expect(publisher.documents[1000]?.text('k')).toBe('\ufffd');
    expect(publisher.collector.list()).toMatchObject([
      {
        code: 'bytes.invalid',
        count: 1,
        examples: [{ file: '/data/in', line: 1002, hint: 'byte 0xFF is not UTF-8' }],
      },
    ]);
    expect(publisher.warnings).toEqual([expect.stringContaining('most of the file is UTF-8')]);
    expect(publisher.warnings[0]).not.toMatch(/windows-1252|auto/);
    await expect(open({ onInvalidBytes: 'fail' }).publish(file(bytes), publisher)).rejects.toThrow('0xFF is not UTF-8');
  });

  it('are reported with their line in a large file', async () => {
    const lines = `1,${'é'.repeat(50)}\n`.repeat(40_000);
    const bytes = Buffer.concat([Buffer.from(`k,v\n${lines}`), latin1('2,ü\n3,ö\n')]);
    const { warnings } = await read('csv', bytes);
    expect(warnings).toEqual([expect.stringMatching(/^\/data\/in:40002: byte 0xFC is not UTF-8/)]);
  });

  it('are reported in a header, with the correct line for any line ends', async () => {
    expect((await read('csv', latin1('k,é\n1,2\n'))).warnings).toEqual([expect.stringContaining('in:1: byte 0xE9')]);
    expect((await read('csv', latin1('k\r1\r\n2\ré\r'))).warnings).toEqual([
      expect.stringContaining('in:4: byte 0xE9'),
    ]);
  });

  it('are reported in XML with the line of the element', async () => {
    const text = '<r>\n<e><id>1</id></e>\n<e><id>2</id>\n\u00e9</e></r>';
    expect((await read('xml', latin1(text))).warnings).toEqual([expect.stringContaining('in:4: byte 0xE9')]);
  });
});

describe.each(Object.entries(formats))('the encoding of %s', (name, { text }) => {
  const settings = (more: object) => ({ ...BASE[name as keyof typeof BASE], ...more }) as never;
  const open = (more: object, publisher: CollectingPublisher) => {
    const context = { docIdPrefix: '', log: publisher.log, notices: publisher.notices };
    if (name === 'csv') return new CsvFormat(settings(more), context);
    return name === 'json' ? new JsonFormat(settings(more), context) : new XmlFormat(settings(more), context);
  };
  const publish = async (bytes: Uint8Array, more: object, size = 1_000_000) => {
    const publisher = new CollectingPublisher();
    const file = { path: '/data/in', name: 'in', bytes: pieces(bytes, size) };
    await open(more, publisher).publish(file, publisher);
    return {
      json: publisher.json.join(),
      notices: publisher.collector.list().filter(({ code }) => code === 'bytes.invalid'),
      warnings: publisher.warnings,
    };
  };

  it.each([
    ['windows-1252', latin1(text)],
    ['utf-16', littleEndian(text)],
    ['UTF-16LE', Buffer.from(text, 'utf16le')],
    ['auto', littleEndian(text)],
    ['auto', bigEndian(text)],
    ['auto', Buffer.from(`\ufeff${text}`)],
    ['auto', Buffer.from(text)],
    ['auto', latin1(text)],
    ['cp850', Buffer.from(text.replace('ë', '\x89'), 'latin1')],
  ])('can be set to %s', async (encoding, bytes) => {
    for (const size of [1, 7, 1000]) {
      const { json, notices } = await publish(bytes, { encoding }, size);
      expect(json).toContain('Zoë');
      expect(notices).toEqual([]);
    }
  });

  it('accepts known encodings only', () => {
    const check = { csv: checkCsvSettings, json: checkJsonSettings, xml: checkXmlSettings }[name];
    expect([...(check?.(settings({ encoding: 'klingon' })) ?? [])]).toMatchObject([
      { parameter: 'encoding', message: 'The encoding "klingon" is not known' },
    ]);
    for (const encoding of ['auto', 'Windows-1252', 'utf-8', 'sjis', 'cp437', 'ISO-2022-KR']) {
      expect([...(check?.(settings({ encoding })) ?? [])]).toEqual([]);
    }
    for (const encoding of ['base64', 'hex']) {
      expect([...(check?.(settings({ encoding })) ?? [])]).toHaveLength(1);
    }
  });

  it('counts the invalid bytes and reports the position of the first', async () => {
    const repeated = name === 'xml' ? text.replace('ë', 'ëë\nëé') : text.repeat(3);
    const { notices } = await publish(latin1(repeated), {});
    const count = [...repeated].filter((char) => char > '\x7f').length;
    expect(count).toBeGreaterThan(1);
    expect(notices).toMatchObject([{ code: 'bytes.invalid', count }]);
    const line = name === 'json' ? 1 : 2;
    expect(notices[0]?.examples[0]).toEqual({ file: '/data/in', line, hint: 'byte 0xEB is not UTF-8' });
    // A U+FFFD in the file itself is an ordinary character.
    expect((await publish(Buffer.from(text.replace('ë', '\ufffd')), {})).notices).toEqual([]);
  });

  it('fails the file with invalid bytes if onInvalidBytes is fail', async () => {
    const failing = (bytes: Uint8Array, more: object) =>
      publish(bytes, { ...more, onInvalidBytes: 'fail' }).then(
        () => 'read',
        (error) => [error.code, error.message, error.hint],
      );
    const line = name === 'json' ? 1 : 2;
    expect(await failing(latin1(text), {})).toEqual([
      'HR_SOURCE_UNREADABLE',
      `/data/in:${line}: byte 0xEB is not UTF-8`,
      expect.stringContaining('windows-1252'),
    ]);
    const kana = Buffer.concat([
      Buffer.from(text.slice(0, text.indexOf('ë'))),
      Buffer.from([0x82, 0x20]),
      Buffer.from(text.slice(text.indexOf('ë') + 1)),
    ]);
    expect(await failing(kana, { encoding: 'shift_jis' })).toEqual([
      'HR_SOURCE_UNREADABLE',
      `/data/in:${line}: there are bytes that are not shift_jis`,
      expect.stringContaining('windows-1252'),
    ]);
    expect(await failing(Buffer.from(text), {})).toBe('read');
    expect(await failing(latin1(text), { encoding: 'windows-1252' })).toBe('read');
  });
});

describe('XML', () => {
  it.each([
    ['auto', 'utf-8', 'Zo\xeb', ['is not UTF-8', 'declares utf-8', 'windows-1252'], 'or to auto'],
    ['utf-8', 'Shift_JIS', '\x83e', ['is not UTF-8', 'so set encoding to Shift_JIS, or to auto'], 'windows-1252'],
    ['utf-8', 'foo-9', 'Zo\xeb', ['is not UTF-8', 'windows-1252, or to auto'], 'foo-9'],
    ['auto', 'foo-9', 'Zo\xc3\xab', ['/data/in declares the encoding foo-9, which is not known'], 'UTF-8'],
  ])(
    'suggests a suitable encoding for encoding %s and the declaration %s',
    async (encoding, declared, content, parts, wrong) => {
      const publisher = new CollectingPublisher();
      const format = new XmlFormat(
        { ...XML, encoding },
        { docIdPrefix: '', log: publisher.log, notices: publisher.notices },
      );
      const text = `<?xml version="1.0" encoding="${declared}"?><r>\n<e><id>1</id>${content}</e></r>`;
      await format.publish({ path: '/data/in', name: 'in', bytes: pieces(latin1(text), 5) }, publisher);
      expect(publisher.warnings).toHaveLength(1);
      for (const part of parts) expect(publisher.warnings[0]).toContain(part);
      expect(publisher.warnings[0]).not.toContain(wrong);
    },
  );

  it.each([
    ['auto', '<?xml version="1.0" encoding="ISO-8859-1"?>', 'Zo\xeb'],
    ['auto', "<?xml version='1.0' encoding='utf-8'?>", 'Zo\xc3\xab'],
    ['auto', '<?xml version="1.0" encoding="cp850"?>', 'Zo\x89'],
    ['ISO-2022-KR', '', '\x1b$)C\x0eGQ19>n\x0f'],
    ['auto', '', '\x1b$)C\x0eGQ19>n\x0f'],
  ])('is decoded with encoding %s and the declaration %s', async (encoding, declaration, content) => {
    const publisher = new CollectingPublisher();
    const format = new XmlFormat(
      { ...XML, encoding },
      { docIdPrefix: '', log: publisher.log, notices: publisher.notices },
    );
    const bytes = Buffer.from(`${declaration}<r>\n<e><id>1</id>${content}</e></r>`, 'latin1');
    await format.publish({ path: '/data/in', name: 'in', bytes: pieces(bytes, 5) }, publisher);
    expect(publisher.documents[0]?.text('xml')).toMatch(/^<e><id>1<\/id>(Zoë|한국어)<\/e>$/);
  });
});

describe('FileConnector', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-encodings-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('fails only the UTF-16 files and warns about each file with invalid bytes', async () => {
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
      expect.stringMatching(/^a\.csv: the file is UTF-16 .*encoding: utf-16/),
      expect.stringMatching(/^c\.jsonl: the file is UTF-16 .*encoding: utf-16/),
    ]);
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^e\.csv:2: byte 0xE9/),
      expect.stringMatching(/^f\.csv:2: byte 0xE9/),
    ]);
  });

  it('reads files in the encodings of their handlers', async () => {
    await writeFiles(folder, {
      'a.csv': latin1('id,name\n1,Zoë\n'),
      'b.jsonl': littleEndian('{"id":"j","name":"Zoë"}\n'),
      'c.xml': latin1('<r><e><id>x</id>Zoë</e></r>'),
    });
    const { documents, rejected } = await runFileConnector(folder, {
      fileHandlers: {
        csv: { encoding: 'windows-1252', maxLinesPerCell: 5 },
        json: { encoding: 'auto' },
        xml: { ...XML, encoding: 'auto', onInvalidBytes: 'fail' },
      },
    });
    expect(rejected).toEqual([]);
    expect(documents.map(({ name, xml }) => name ?? xml).sort()).toEqual(['<e><id>x</id>Zoë</e>', 'Zoë', 'Zoë']);
  });

  it('reports invalid bytes, or fails their file', async () => {
    const a = { 'a.csv': latin1('k\né\né\n') };
    await writeFiles(folder, a);
    const one = await runFileConnector(folder, { fileHandlers: { csv: {} } });
    expect(one.notices).toMatchObject([{ code: 'bytes.invalid', count: 2, examples: [{ line: 2 }] }]);
    await writeFiles(folder, { ...a, 'b.csv': latin1('k\nü\n'), 'c.csv': 'k\nok\n' });
    const read = await runFileConnector(folder, { fileHandlers: { csv: {} } });
    expect(read.notices).toMatchObject([{ code: 'bytes.invalid', count: 3 }]);
    const { found, rejected } = await runFileConnector(folder, { fileHandlers: { csv: { onInvalidBytes: 'fail' } } });
    expect(found).toEqual(['c.csv-1']);
    expect(rejected).toEqual([
      expect.stringMatching(/^a\.csv:2: byte 0xE9 is not UTF-8\. .*windows-1252/),
      expect.stringMatching(/^b\.csv:2: byte 0xFC is not UTF-8\. .*windows-1252/),
    ]);
  });

  it('logs warnings about a header once per run, for any number of files and paths', async () => {
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
