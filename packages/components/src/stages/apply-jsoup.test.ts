import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Document } from '@headrace/engine';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { ApplyJSoup } from './apply-jsoup.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-jsoup-'));
afterAll(() => rmSync(folder, { recursive: true }));

const page =
  '<html><head><title>Harbour</title></head><body><h1>Head &amp; line</h1><p>One <b>two</b><br>three</p><p></p><a href="/a">first</a><a>second</a><ul><li>1<li>2</ul></body></html>';

async function run(destinationFields: Record<string, unknown>, ...documents: Record<string, unknown>[]) {
  const outcomes = await runStage(ApplyJSoup, { stringField: 'h', destinationFields }, documents);
  return outcomes.map(
    ({ documents: out, error }) => error ?? (JSON.parse(out[0] as string) as Record<string, unknown>),
  );
}

describe('ApplyJSoup', () => {
  it('writes one match as a text and several matches as a list', async () => {
    const [out] = await run(
      {
        title: { type: 'text', selector: 'title' },
        texts: { type: 'text', selector: 'p, li' },
        links: { type: 'attribute', selector: 'a', attribute: 'HREF' },
        inner: { type: 'html', selector: 'p' },
        outer: { type: 'outerHtml', selector: 'ul' },
      },
      { id: '1', h: page },
    );
    expect(out).toEqual({
      id: '1',
      h: page,
      title: 'Harbour',
      texts: ['One two three', '1', '2'],
      links: '/a',
      inner: ['One <b>two</b><br>\nthree', ''],
      outer: '<ul>\n <li>1</li>\n <li>2</li>\n</ul>',
    });
  });

  it('uses the Java syntax for regular expressions in selectors', async () => {
    const destinationFields = { found: { type: 'text', selector: 'p:matches((?i)^[a-c&&[^b]]$)' } };
    const [outcome] = await runStage(ApplyJSoup, { stringField: 'page', destinationFields }, [
      { id: '1', page: '<p>A</p><p>b</p><p>c</p>' },
    ]);
    expect(outcome?.documents[0]).toContain('"found":["A","c"]');
  });

  it('overwrites the field, or keeps it if nothing is selected', async () => {
    const entry = { type: 'text', selector: 'h1' };
    expect(
      await run({ b: entry }, { id: '1', h: page, b: ['x', 'y'] }, { id: '2', h: '<p>', b: 'x' }, { id: '3' }),
    ).toEqual([{ id: '1', h: page, b: 'Head & line' }, { id: '2', h: '<p>', b: 'x' }, { id: '3' }]);
  });

  it('reads the first of several values and numbers as text, and fails on null', async () => {
    const entry = { type: 'text', selector: 'body' };
    expect(
      await run(
        { b: entry },
        { id: '1', h: ['<p>x', '<p>y'] },
        { id: '2', h: 5 },
        { id: '3', h: [] },
        { id: '4', h: null },
      ),
    ).toEqual([
      { id: '1', h: ['<p>x', '<p>y'], b: 'x' },
      { id: '2', h: 5, b: '5' },
      { id: '3', h: [] },
      'Field "h" is null: there is no page',
    ]);
  });

  it('reads bytes and base64 text in the configured charset', async () => {
    const params = {
      byteArrayField: 'y',
      charset: 'ISO-8859-1',
      destinationFields: { b: { type: 'text', selector: 'p' } },
    };
    const stage = makeStage(ApplyJSoup, params);
    await stage.start?.();
    const document = Document.create('1');
    document.set('y', Buffer.from('<p>café', 'latin1'));
    await stage.process(document);
    expect(document.get('b')).toBe('café');
    const { charset: _, ...utf8 } = params;
    const outcomes = await runStage(ApplyJSoup, utf8, [
      { id: '1', y: Buffer.from('<p>café').toString('base64') },
      { id: '2', y: 'no base64!' },
      { id: '3', y: 5 },
    ]);
    expect(outcomes[0]?.documents[0]).toContain('"b":"café"');
    expect(outcomes[1]?.error).toBe('Field "y" holds neither bytes nor padded base64 text');
    expect(outcomes[2]?.error).toBe('Field "y" holds neither bytes nor padded base64 text');
  });

  it('reads files in the charset that they declare', async () => {
    const file = join(folder, 'p.html');
    writeFileSync(file, '<meta charset=iso-8859-1><p>café</p>', 'latin1');
    const params = { filePathField: 'f', destinationFields: { b: { type: 'text', selector: 'p' } } };
    const outcomes = await runStage(ApplyJSoup, params, [
      { id: '1', f: file },
      { id: '2', f: join(folder, 'none') },
    ]);
    expect(outcomes[0]?.documents[0]).toContain('"b":"café"');
    expect(outcomes[1]?.error).toMatch(/^The page .*none cannot be read: /);
    expect(makeStage(ApplyJSoup, params).maxInFlight).toBeGreaterThan(1);
  });

  it('fails a document with a page that is too large for memory', async () => {
    const file = join(folder, 'large.html');
    writeFileSync(file, '');
    truncateSync(file, 64 * 1024 * 1024 + 1);
    const params = { filePathField: 'f', destinationFields: { b: { type: 'text', selector: 'p' } } };
    const [outcome] = await runStage(ApplyJSoup, params, [{ id: '1', f: file }]);
    expect(outcome?.error).toContain('large.html has more than 67108864 bytes');
  });

  it.each<[Record<string, unknown>, string]>([
    [{ stringField: undefined }, 'Exactly one of'],
    [{ byteArrayField: 'y' }, 'Exactly one of'],
    [{ charset: 'klingon' }, 'The charset "klingon" is not known'],
    [{ destinationFields: { b: { selector: 'p' } } }, 'must have a type'],
    [{ destinationFields: { b: { type: 'text' } } }, 'must have a selector'],
    [{ destinationFields: { b: { type: 'texts', selector: 'p' } } }, 'The type "texts" is not known'],
    [{ destinationFields: { b: { type: 'attribute', selector: 'p' } } }, 'must name an attribute'],
    [
      { destinationFields: { b: { type: 'text', selector: 'p[' } } },
      'The selector cannot be used: a "[" is never closed',
    ],
    [{ destinationFields: { id: { type: 'text', selector: 'p' } } }, 'reserved field'],
    [{ destinationFields: { b: 'p' } }, 'is supposed to be a Config'],
  ])('refuses the parameters %j', async (params, message) => {
    const all = { stringField: 'h', destinationFields: { b: { type: 'text', selector: 'p' } }, ...params };
    if (all.stringField === undefined) delete (all as Record<string, unknown>)['stringField'];
    await expect(runStage(ApplyJSoup, all, [])).rejects.toThrow(message);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ApplyJSoup, {
      params: {
        stringField: 'h',
        destinationFields: { a: { type: 'text', selector: 'li' }, b: { type: 'html', selector: 'body' } },
      },
      document: { id: '1', h: page },
    }));
});
