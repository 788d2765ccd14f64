import { Type, withDefaults } from '@headrace/engine';
import { splitXml, XmlRecordFinder } from '@headrace/formats/records/xml';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { XmlFormat } from './xml-format.ts';
import { checkXmlSettings, type XmlSettings, xmlParameters } from './xml-settings.ts';

/** Returns the settings of a config that has these. */
function xmlSettings(given: Partial<XmlSettings>): XmlSettings {
  return withDefaults(Type.Object(xmlParameters), given);
}

const BOOKS = { xmlRootPath: '/lib/book', xmlIdPath: '/lib/book/isbn' };

/** Yields the source in pieces of this many bytes. */
async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function publish(xml: string | Uint8Array, settings: Partial<XmlSettings> = BOOKS, docIdPrefix = '') {
  const publisher = new CollectingPublisher();
  const bytes = typeof xml === 'string' ? Buffer.from(xml) : xml;
  let error = '';
  try {
    const format = new XmlFormat(xmlSettings(settings), {
      docIdPrefix,
      log: publisher.log,
      notices: publisher.notices,
    });
    await format.publish({ path: 'in.xml', name: 'in.xml', bytes: inPieces(bytes, 7) }, publisher);
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  const documents = publisher.documents.map((document) => [document.id, document.text(settings.outputField ?? 'xml')]);
  return { documents, rejected: publisher.rejected, error };
}

async function idsOf(...args: Parameters<typeof documentsOf>) {
  return (await documentsOf(...args)).map(([id]) => id);
}

async function documentsOf(xml: string | Uint8Array, settings?: Partial<XmlSettings>, docIdPrefix?: string) {
  const { documents, rejected, error } = await publish(xml, settings, docIdPrefix);
  expect({ rejected, error }).toEqual({ rejected: [], error: '' });
  return documents;
}

describe('XmlFormat', () => {
  it('creates a document with the unchanged text of each element at the path', async () => {
    const books = [
      '<book  lang="en"\n ><isbn>1</isbn><t>One &amp; <![CDATA[<only>]]> \r\n</t></book >',
      '<book><t><book><isbn>no</isbn></book></t><isbn>ü<!-- - -->&#98;&lt;<![CDATA[&lt;]]>\r\n</isbn><!-- </book> --><?p </book>?></book>',
      "<book a='>/book>'><isbn>3</isbn><isbn>4</isbn></book>",
    ];
    const xml = `<?xml version="1.0"?>\n<!-- books --><lib>${books.join('\n')}<bookx><isbn>x</isbn></bookx><y><book/></y></lib>\n`;
    expect(await documentsOf(xml)).toEqual([
      ['1', books[0]],
      ['üb<&lt;\n', books[1]],
      ['34', books[2]],
    ]);
    expect(await idsOf(xml, { ...BOOKS, outputField: 'raw' }, 'b-')).toEqual(['b-1', 'b-üb<&lt;\n', 'b-34']);
  });

  it('uses all text inside an id element as the id, including nested elements', async () => {
    const ids = ['<isbn>1<x>2</x>3</isbn>', '<isbn><x><y>a</y><![CDATA[<b>]]></x>&amp;</isbn><n>no</n><isbn>c</isbn>'];
    expect(await idsOf(`<lib>${ids.map((id) => `<book>${id}</book>`).join('')}</lib>`)).toEqual(['123', 'a<b>&c']);
    expect(await idsOf('<lib><book>x<isbn>1</isbn>y</book></lib>', { ...BOOKS, xmlIdPath: '/lib/book' })).toEqual([
      'x1y',
    ]);
  });

  it('creates random ids for elements without an id, or leaves them out', async () => {
    const xml = '<lib><book/><book><isbn/></book><book><isbn> </isbn></book></lib>';
    const documents = await documentsOf(xml, BOOKS, 'p-');
    expect(documents[0]?.[0]).toMatch(/^p-[0-9a-f-]{36}$/);
    expect(documents[1]?.[1]).toBe('<book><isbn/></book>');
    expect(new Set(documents.map(([id]) => id)).size).toBe(3);
    expect(await documentsOf(xml, { ...BOOKS, skipEmptyId: true })).toEqual([[' ', '<book><isbn> </isbn></book>']]);
  });

  it('reads ids with an XPath expression', async () => {
    const xml = '<lib><book n="7"><isbn>1</isbn><isbn>2</isbn></book></lib>';
    for (const [xpathIdPath, id] of [
      ['@n', '7'],
      ['isbn', '1'],
      ['/book/isbn[2]', '2'],
      ["concat('k', @n, count(isbn))", 'k72'],
    ] as const) {
      expect(await idsOf(xml, { xmlRootPath: '/lib/book', xpathIdPath })).toEqual([id]);
    }
  });

  it('supports the root element as the record, and publishes nothing without a match', async () => {
    expect(await documentsOf('<a><b>1</b></a>', { xmlRootPath: '/a', xmlIdPath: '/a/b' })).toEqual([
      ['1', '<a><b>1</b></a>'],
    ]);
    expect(await documentsOf('<a>1</a>', { xmlRootPath: '/a', xmlIdPath: '/a' })).toEqual([['1', '<a>1</a>']]);
    expect(await documentsOf('<a><b/></a>', { xmlRootPath: '/x', xmlIdPath: '/x/y' })).toEqual([]);
    expect(await documentsOf('<a><b/></a>', { xmlRootPath: 'a/b/', xmlIdPath: '/x/y' })).toEqual([]);
  });

  it('decodes the configured charset instead of the declared one, and skips a byte-order mark', async () => {
    const xml = '<?xml version="1.0" encoding="UTF-16"?><lib><book><isbn>é</isbn></book></lib>';
    const expected = [['é', '<book><isbn>é</isbn></book>']];
    expect(await documentsOf(`\ufeff${xml}`)).toEqual(expected);
    expect(await documentsOf(Buffer.from(xml, 'latin1'), { ...BOOKS, encoding: 'ISO8859_1' })).toEqual(expected);
    expect(await documentsOf(Buffer.from(`\ufeff${xml}`, 'utf16le'), { ...BOOKS, encoding: 'UTF-16' })).toEqual(
      expected,
    );
    expect(await documentsOf(Buffer.from(xml, 'utf16le').swap16(), { ...BOOKS, encoding: 'utf-16' })).toEqual(expected);
  });

  it('fails on malformed XML after the elements before it', async () => {
    const { documents, error } = await publish('<lib><book><isbn>1</isbn></book>\n<book><isbn>2</isbn></lib>');
    expect(documents).toEqual([['1', '<book><isbn>1</isbn></book>']]);
    expect(error).toBe('in.xml:2: not well-formed XML: </lib> closes nothing: <book> is open');
  });

  it('does not expand entities', async () => {
    const doctype = '<!DOCTYPE lib [<!ENTITY a "x"><!-- ]> " --><?p ]> \' ?><!ENTITY e SYSTEM "file:///etc/passwd">]>';
    const xml = `${doctype}<lib><book><isbn>1</isbn>&e;&a;</book><book><isbn>&e;</isbn></book></lib>`;
    const { documents, rejected, error } = await publish(xml);
    expect(error).toBe('');
    expect(documents).toEqual([['1', '<book><isbn>1</isbn>&e;&a;</book>']]);
    expect(rejected).toEqual([{ place: 'in.xml:1', message: 'the id contains &e;, an entity that is not expanded' }]);
    expect((await publish('<lib>&e;</lib>')).error).toContain('&e; is not a known entity');
  });

  it('rejects elements that are too long and continues after them', async () => {
    const bytes = Buffer.from(`<r><d>1</d>\n<d>${'x'.repeat(500)}</d><z>${'y'.repeat(500)}</z><d>2</d></r>`);
    const parts: string[] = [];
    const finder = new XmlRecordFinder(['r', 'd'], []);
    for await (const part of splitXml(inPieces(bytes, 50), finder, { maxRecordBytes: 100, pieceBytes: 5 })) {
      parts.push(part.kind === 'records' ? Buffer.from(part.bytes).toString() : `${part.kind} ${part.line}`);
    }
    expect(parts).toEqual(['<d>1</d>', 'too-long 2', '<d>2</d>']);
  });

  it('reports problems in the settings', () => {
    const problems = (settings: Partial<XmlSettings>) =>
      [...checkXmlSettings(xmlSettings({ ...BOOKS, ...settings }))].map(({ parameter, severity }) => [
        parameter,
        severity,
      ]);
    expect(problems({})).toEqual([]);
    expect(problems({ xpathIdPath: '@id' })).toEqual([['xpathIdPath', undefined]]);
    expect([...checkXmlSettings(xmlSettings({ xmlRootPath: '/a' }))]).toMatchObject([
      { message: 'One of xmlIdPath and xpathIdPath must be given' },
    ]);
    expect([...checkXmlSettings(xmlSettings({ xmlRootPath: '/a', xpathIdPath: 'a[' }))]).toMatchObject([
      { parameter: 'xpathIdPath' },
    ]);
    expect(problems({ xmlIdPath: '/other/id' })).toEqual([['xmlIdPath', 'warning']]);
    expect(problems({ xmlRootPath: 'lib/book' })).toEqual([
      ['xmlRootPath', 'warning'],
      ['xmlIdPath', 'warning'],
    ]);
    expect(problems({ encoding: 'klingon', outputField: 'id' })).toEqual([
      ['encoding', undefined],
      ['outputField', undefined],
    ]);
  });
});

/** Generates XML, some of it malformed. */
const anyXml = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom('<a>', '</a>', '<b>', '</b>', '<a/>', '<b x="1"/>', 'é', ' x ', '\n', '\r\n'),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '<a  x = "1"\n y=\'<\'>',
          '<b x="1" x="2">',
          '<b x=">&lt;"y="">',
          "<b x='&#9;' y='>'  >",
          '</a >',
          '</ a>',
          '<!-- > -->',
          '<!-- -- -->',
          '<!---->',
          '<![CDATA[</a>]]]>',
          '<![CDATA[]]>',
          ']]>',
          ']]',
          '&amp;',
          '&#65;',
          '&#0;',
          '&#xD800;',
          '&x;',
          '&',
          '<?p ?x?>',
          '<?xml version="1.0"?>',
          '<',
          '>',
          '\u0001',
          '<1>',
          '<!x>',
        ),
      },
    ),
    { maxLength: 12 },
  )
  .map((parts) => `<r>${parts.join('')}</r>`);

describe('XmlScanner', () => {
  it('accepts the same XML as an event parser and finds the same elements, for any cut of the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(anyXml, fc.integer({ min: 1, max: 9 }), async (xml, size) => {
        const expected = parsed(xml);
        const found: string[] = [];
        try {
          for await (const part of splitXml(inPieces(Buffer.from(xml), size), new XmlRecordFinder(['r', 'a'], []))) {
            if (part.kind === 'bad') throw part.error;
            if (part.kind !== 'records') continue;
            for (const { start, end } of part.records)
              found.push(Buffer.from(part.bytes.subarray(start, end)).toString());
          }
        } catch (error) {
          expect(expected, `${error}`).toBeUndefined();
          return;
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: process.env['CI'] === undefined ? 1_000 : 3_000 },
    );
  });
});

/** Returns the texts of the elements at /r/a, or undefined if the XML is not well-formed. */
function parsed(xml: string): string[] | undefined {
  const parser = new SaxesParser({ position: true });
  const found: string[] = [];
  let depth = 0;
  let start = -1;
  let opening = 0;
  parser.on('opentagstart', () => {
    opening = xml.lastIndexOf('<', parser.position - 2);
  });
  parser.on('opentag', ({ name }) => {
    if (++depth === 2 && name === 'a') start = opening;
  });
  parser.on('closetag', () => {
    if (depth-- === 2 && start >= 0) {
      found.push(xml.slice(start, parser.position));
      start = -1;
    }
  });
  try {
    parser.write(xml).close();
    return found;
  } catch {
    return undefined;
  }
}
