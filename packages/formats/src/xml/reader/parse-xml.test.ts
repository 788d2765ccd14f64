import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import type { XmlNode } from '../xml-tree.ts';
import { parseXml, XmlReader } from './parse-xml.ts';

const textOf = (xml: string) => parseXml(xml).text;

describe('parseXml', () => {
  it('reads text, character references and CDATA sections', () => {
    expect(
      textOf('<?xml version="1.0" encoding="ISO-8859-1"?>\n<r>é &amp; &#233;&#x1F600;<![CDATA[<&>]]>\r\n</r>\n'),
    ).toBe('é & é😀<&>\n');
    expect(textOf('\ufeff<r>x</r>')).toBe('x');
  });

  it.each(['', 'plain', '<a><b></a>', '<a/><b/>', '<a>&b;</a>', '<a b="1" b="2"/>', '<a b=1/>', '<a>\u0001</a>'])(
    'refuses %s',
    (xml) => expect(() => parseXml(xml)).toThrow(),
  );

  it('expands entities that the document declares', () => {
    const doctype = `<!DOCTYPE r [<!ENTITY co "ACME &amp; S&#246;hne"><!-- <!ENTITY co "no"> --><!ENTITY full '&co; (&lt2;)'><!ENTITY lt2 "&#38;#60;"><!ENTITY co "later">]>`;
    expect(textOf(`${doctype}<r a="&co;">&full;</r>`)).toBe('ACME & Söhne (<)');
  });

  it.each([
    ['<!ENTITY e SYSTEM "file:///etc/passwd">', 'external'],
    ['<!ENTITY e PUBLIC "p" "http://example.org/">', 'external'],
    ['<!ENTITY e "<b/>">', 'contains markup'],
    ['<!ENTITY e "&e;">', 'refers to itself'],
    ['<!ENTITY e "&f;">', 'is not declared'],
    ['<!ENTITY e "&#x110000;">', 'is not a character'],
    ['<!ENTITY % e "x">', 'is not declared'],
  ])('rejects a document that uses %s', (declaration, message) => {
    const doctype = `<!DOCTYPE r [${declaration}]>`;
    expect(textOf(`${doctype}<r>x</r>`)).toBe('x');
    expect(() => parseXml(`${doctype}<r>&e;</r>`)).toThrow(message);
  });

  it('limits the expansion of entities', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const bomb = `<!DOCTYPE r [<!ENTITY l0 "lol">${levels}]><r>&l9;</r>`;
    expect(() => parseXml(bomb)).toThrow('entities expand to more than 1000000 characters');
    const wide = `<!DOCTYPE r [<!ENTITY e "${'x'.repeat(1000)}">]><r>${'&e;'.repeat(2000)}</r>`;
    expect(() => parseXml(wide)).toThrow('entities expand to more than 1000000 characters');
  });

  it('reads deeply nested documents', () => {
    expect(textOf(`${'<a>'.repeat(100_000)}x${'</a>'.repeat(100_000)}`)).toBe('x');
  });
});

/** Generated XML, some of it broken. */
const anyXml = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          '<a>',
          '</a>',
          '<b>',
          '</b>',
          '<a/>',
          '<b x="1" y="2"/>',
          'é',
          ' x ',
          '\n',
          '\r\n',
          '\r',
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '<a  y = "1"\n x=\'<\'>',
          '<b x="1" x="2">',
          '<b x="\n>&lt;\t&#10;"y="">',
          "<b x='&#9;' y='>\"'  >",
          '<é:ñ-1 ä.b="ü"/>',
          '</a >',
          '</ a>',
          '</ab>',
          '<!-- > -->',
          '<!-- -- -->',
          '<!---->',
          '<!--->',
          '<![CDATA[</a>&amp;]]]>',
          '<![CDATA[]]>',
          ']]>',
          ']]',
          '&amp;',
          '&#65;&#x1F600;',
          '&#0;',
          '&#xD800;',
          '&#13;',
          '&x;',
          '&',
          '&;',
          '&#;',
          '<?p ?x?>',
          '<?p?>',
          '<?p-é  x ?>',
          '<?pä"?>',
          '<?xml version="1.0"?>',
          '<',
          '>',
          '"',
          '\u0001',
          '\ufffe',
          '<1>',
          '<!x>',
          '<a/ >',
          '<a b>',
          '<a b=c>',
          '<!DOCTYPE r>',
        ),
      },
    ),
    { maxLength: 10 },
  )
  .chain((parts) => {
    const start = fc.constantFrom(
      '',
      '',
      ' ',
      '<?xml version="1.0"?>\n',
      '<?xml version="1.0" encoding="x" standalone="no" ?>',
      '<?xml?>',
      '<!DOCTYPE r [<!-- > -->]>',
      '<!-- --><?p?>',
      'x',
    );
    const end = fc.constantFrom('', '', '\n', '<!-- -->', '<r/>', 'x', '<?p?>');
    return fc.tuple(start, end).map(([before, after]) => `${before}<r>${parts.join('')}</r>${after}`);
  });

describe('XmlReader', () => {
  it('reads documents with more names than it remembers', () => {
    const reader = new XmlReader();
    for (let from = 0; from < 30_000; from += 6000) {
      const names = Array.from({ length: 6000 }, (_, i) => `n${from + i}`);
      const { tree } = reader.read(`<r>${names.map((name) => `<${name}/>`).join('')}</r>`);
      expect(names.map((_, i) => tree.nameAt(i + 2))).toEqual(names);
    }
  });

  it('reads names that begin like expected names', () => {
    const reader = new XmlReader();
    for (const xml of [
      '<r><ab/></r>',
      '<r><abc/></r>',
      '<r><a/></r>',
      '<r><ab/></r>',
      '<r><abé/></r>',
      '<r><abc/></r>',
    ])
      expect(`<r><${reader.read(xml).tree.nameAt(2)}/></r>`).toBe(xml);
  });
});

describe('XmlReader, compared with saxes', () => {
  // Expects the names of earlier documents.
  const reader = new XmlReader();

  it('accepts and rejects the same texts, and reads the same nodes', () => {
    fc.assert(
      fc.property(anyXml, (xml) => {
        let found: string | undefined;
        try {
          found = dump(reader.read(xml));
        } catch {
          found = undefined;
        }
        expect(found).toBe(bySaxes(xml));
      }),
      { numRuns: 50 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});

/** Returns the nodes as text, without the document type and the order of attributes. */
function dump({ tree }: XmlNode): string {
  return Array.from({ length: tree.count }, (_, at) => tree.node(at))
    .map(({ kind, name, value, parent, end }) => `${kind} ${name} ${JSON.stringify(value)} ${parent?.at} ${end}`)
    .join('\n');
}

function bySaxes(xml: string): string | undefined {
  const lines: { kind: string; name: string; value: string; parent: number; end: number }[] = [];
  const open: number[] = [];
  const add = (kind: string, name: string, value: string) => {
    lines.push({ kind, name, value, parent: open.at(-1) ?? 0, end: lines.length + 1 });
  };
  const text = (value: string) => {
    const last = lines.at(-1);
    if (open.length === 1) return;
    if (last?.kind === 'text' && last.parent === open.at(-1) && joined) last.value += value;
    else if (value !== '') add('text', '', value);
    joined = true;
  };
  let joined = false;
  add('document', '', '');
  open.push(0);
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    joined = false;
    add('element', name, '');
    open.push(lines.length - 1);
    for (const [attribute, value] of Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      add('attribute', attribute, value);
  });
  parser.on('closetag', () => {
    joined = false;
    (lines[open.pop() as number] as { end: number }).end = lines.length;
  });
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('comment', (value) => {
    joined = false;
    add('comment', '', value);
  });
  parser.on('processinginstruction', ({ target, body }) => {
    joined = false;
    add('instruction', target, body);
  });
  try {
    parser.write(xml).close();
  } catch {
    return undefined;
  }
  (lines[0] as { end: number }).end = lines.length;
  return lines
    .map(
      ({ kind, name, value, parent, end }, at) =>
        `${kind} ${name} ${JSON.stringify(value)} ${at === 0 ? undefined : parent} ${end}`,
    )
    .join('\n');
}
