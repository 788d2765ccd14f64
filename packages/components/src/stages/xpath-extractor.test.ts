import { assertStageContract, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { XPathExtractor } from './xpath-extractor.ts';

const xml =
  '<lib><book id="1" lang="en"><title>Tides</title><price>9.50</price></book><book id="2"><title>Salt &amp; <i>Sand</i></title><price>20</price></book></lib>';

async function extract(fieldMapping: Record<string, string[]>, document: Record<string, unknown>) {
  const [outcome] = await runStage(XPathExtractor, { fieldMapping }, [{ id: '1', ...document }]);
  const { id: _id, xml: _xml, ...fields } = JSON.parse(outcome?.documents[0] as string) as Record<string, unknown>;
  return fields;
}

describe('XPathExtractor', () => {
  it('adds the text of every node in document order, one as a text, several as a list', async () => {
    expect(await extract({ '//title': ['t', 'u'], '//book[2]/@id': ['i'], '//zzz': ['z'] }, { xml })).toEqual({
      t: ['Tides', 'Salt & Sand'],
      u: ['Tides', 'Salt & Sand'],
      i: '2',
    });
    expect(await extract({ '//title | //i/text()': ['t'] }, { xml, t: 'old' })).toEqual({
      t: ['old', 'Tides', 'Salt & Sand', 'Sand'],
    });
  });

  it('writes in the order of the config', async () => {
    const [outcome] = await runStage(
      XPathExtractor,
      { fieldMapping: { '//price': ['b'], '//title': ['b', 'a'] }, xmlField: 'x' },
      [{ id: '1', x: xml }],
    );
    expect(JSON.parse(outcome?.documents[0] as string).b).toEqual(['9.50', '20', 'Tides', 'Salt & Sand']);
  });

  it('does not change documents whose field is not XML, and reports the full reason', async () => {
    const context = stageContext();
    const documents = [
      '{"id":"1","xml":"<a><b></a>"}',
      '{"id":"2","xml":"plain"}',
      '{"id":"3","xml":null}',
      '{"id":"4"}',
    ];
    const outcomes = await runStage(XPathExtractor, { fieldMapping: { '//a': ['b'] } }, documents, context);
    expect(outcomes.map((outcome) => outcome.documents[0])).toEqual(documents);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'stage.unchanged',
        count: 2,
        examples: [
          { document: '1', field: 'xml', value: '<a><b></a>', hint: 'Not XML: 1:7: </a> closes nothing: <b> is open' },
          { document: '2', field: 'xml', value: 'plain' },
        ],
      },
    ]);
  });

  it('refuses invalid expressions and reserved fields, and warns about expressions that return no nodes', async () => {
    const run = (fieldMapping: Record<string, unknown>) => runStage(XPathExtractor, { fieldMapping }, []);
    await expect(run({ '//[': ['b'] })).rejects.toThrow('"//[" is not an XPath expression: a step');
    await expect(run({ '//a': ['id'] })).rejects.toThrow('names id, which is a reserved field');
    await expect(run({ '//a': 'b' })).rejects.toThrow('is supposed to be a list');
    const problems = [...XPathExtractor.check({ fieldMapping: new Map([['count(//a)', ['b']]]), xmlField: 'xml' })];
    expect(problems).toMatchObject([{ severity: 'warning', parameter: ['fieldMapping', 'count(//a)'] }]);
    expect(await extract({ 'count(//book)': ['n'], '//i': ['i'] }, { xml })).toEqual({ i: 'Sand' });
  });

  it('does not change documents without a mapping', async () => {
    expect(await extract({}, { xml })).toEqual({});
    expect(await extract({ '//title': [] }, { xml })).toEqual({});
  });

  it('satisfies the stage contract', () =>
    assertStageContract(XPathExtractor, {
      params: { fieldMapping: { '//title': ['a', 'b'] } },
      document: { id: '1', xml },
    }));
});

describe('XPathExtractor with namespaces', () => {
  const namespaces = { dc: 'http://purl.org/dc/elements/1.1/' };
  const oai = `<record xmlns:d="${namespaces.dc}"><d:title>A</d:title><x:title xmlns:x="urn:x">B</x:title></record>`;

  it('finds names by their namespace, and by their prefix in an element without declarations', async () => {
    const documents = [
      { id: '1', xml: oai },
      { id: '2', xml: '<record><dc:title>C</dc:title></record>' },
    ];
    const params = { fieldMapping: { '/record/dc:title': ['title'] }, namespaces };
    const outcomes = await runStage(XPathExtractor, params, documents);
    expect(outcomes.map(({ documents }) => JSON.parse(documents[0] as string).title)).toEqual(['A', 'C']);
  });

  it('finds prefixes without a namespace when it checks the config', () => {
    const problems = (given: Record<string, string>) =>
      [
        ...XPathExtractor.check({
          fieldMapping: new Map([['//dc:title', ['t']]]),
          namespaces: new Map(Object.entries(given)),
          xmlField: 'xml',
        }),
      ].map(({ message, severity }) => [severity, message]);
    expect(problems(namespaces)).toEqual([]);
    expect(problems({})).toEqual([
      ['warning', 'The XPath expression "//dc:title" finds nothing: no namespace has the prefix dc'],
    ]);
  });
});
