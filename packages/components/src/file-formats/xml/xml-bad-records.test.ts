import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { XmlFormat } from './xml-format.ts';

async function read(text: string, size: number) {
  const publisher = new CollectingPublisher();
  const format = new XmlFormat(
    { xmlRootPath: '/list/r', xmlIdPath: '/list/r/id', outputField: 'xml', encoding: 'utf-8', onInvalidBytes: 'fail' },
    { ...publisher, docIdPrefix: '' },
  );
  async function* pieces() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const error = await format.publish({ path: 'in.xml', name: 'in.xml', bytes: pieces() }, publisher).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  return {
    ids: publisher.documents.map(({ id }) => id),
    rejected: publisher.rejected.map(({ place, message }) => `${place} ${message}`),
    error,
  };
}

const good = (id: number) => `<r n="1"><id>${id}</id><v>x</v></r>\n`;

describe('an XML file with bad elements', () => {
  it.each([
    ['an ampersand', '<r><id>9</id>\n<v>a & b</v></r>', 'in.xml:3', 'a "&" must be written as &amp; (line 4)'],
    ['an unknown entity', '<r><id>9</id><v>&nbsp;</v></r>', 'in.xml:3', '&nbsp; is not a known entity'],
    ['an open element', '<r><id>9</id><v>x</r>', 'in.xml:3', '</r> closes nothing: <v> is open'],
    ['a wrong end tag', '<r><id>9</id><v>x</w></v></r>', 'in.xml:3', '</w> closes nothing: <v> is open'],
    ['a missing end tag', '<r><id>9</id><v a=1>', 'in.xml:3', 'the value of an attribute is not in quotes'],
    ['a bad start tag', '<r n=1><id>9</id></r>', 'in.xml:3', 'the value of an attribute is not in quotes'],
    ['a control character', '<r><id>9\u0001</id></r>', 'in.xml:3', 'the control character 1 is not allowed'],
  ])('reads the other elements: %s', async (_, bad, place, message) => {
    const text = `<list>\n${good(1)}${bad}\n${good(2)}<other/>${bad}${good(3)}</list>`;
    for (const size of [1, 2, 7, 1000]) {
      const { ids, rejected, error } = await read(text, size);
      expect([ids, error]).toEqual([['1', '2', '3'], undefined]);
      expect(rejected).toHaveLength(2);
      expect(rejected[0]).toBe(`${place} the element is not well-formed XML: ${message}`);
    }
  });

  it('names exact lines after a bad element', async () => {
    const text = `<list>\n${good(1)}<r>\n<v>\n& </v>\n</r>\n<r>\n<v>&x;\n</v></r>\n${good(2)}</list>\n<`;
    for (const size of [1, 3, 1000]) {
      const { ids, rejected, error } = await read(text, size);
      expect(ids).toEqual(['1', '2']);
      expect(rejected.map((text) => text.split(' ')[0])).toEqual(['in.xml:3', 'in.xml:7']);
      expect(rejected[1]).toContain('(line 8)');
      expect(error).toContain('in.xml:12');
    }
  });

  it('searches the end of a long bad element in constant memory', async () => {
    const text = `<list>${good(1)}<r><v>& ${'x'.repeat(3_000_000)}</v></r>${good(2)}</list>`;
    const { ids, rejected } = await read(text, 100_000);
    expect([ids, rejected.length]).toEqual([['1', '2'], 1]);
  });

  it('fails if nothing shows where the bad element ends, or the error is not in an element', async () => {
    for (const text of [
      `<list>${good(1)}<r><id>9</id></list>`,
      `<list>${good(1)}<other a=1/>${good(2)}</list>`,
      `<list>${good(1)}& ${good(2)}</list>`,
      `<list>${good(1)}</list>text`,
    ]) {
      const { ids, rejected, error } = await read(text, 5);
      expect([ids, rejected]).toEqual([['1'], []]);
      expect(error).toContain('not well-formed XML');
    }
  });
});
