import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ConnectorContext, withDefaults } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { XMLConnector } from './xml-connector.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-xml-'));
afterAll(() => rmSync(folder, { recursive: true }));

const COMMON = { xmlRootPath: '/r/d', xmlIdPath: '/r/d/i', encoding: 'utf-8', outputField: 'raw' };

function file(name: string, xml: string): string {
  const path = join(folder, name);
  writeFileSync(path, xml);
  return path;
}

async function publish(
  params: Partial<ConstructorParameters<typeof XMLConnector>[0]>,
  publisher = new CollectingPublisher(),
) {
  const context = { name: 'c', docIdPrefix: 'p-', runId: 'r', log: publisher.log, preview: false } as ConnectorContext;
  await new XMLConnector(withDefaults(XMLConnector.parameters, { ...COMMON, ...params }), context).execute(publisher);
  return publisher;
}

describe('XMLConnector', () => {
  const one = file('one.xml', '<r><d><i>1</i></d></r>');
  const two = file('two.xml', '<r><d><i>2</i></d></r>');
  const bad = file('bad.xml', '<r><d><i>3</i></d><d></r>');

  it('publishes the elements of all files in order', async () => {
    expect((await publish({ filePaths: [one, pathToFileURL(two).href] })).json).toEqual([
      '{"id":"p-1","raw":"<d><i>1</i></d>"}',
      '{"id":"p-2","raw":"<d><i>2</i></d>"}',
    ]);
  });

  it('uses urlFiles instead of filePaths, also with relative paths', async () => {
    const { json } = await publish({ filePaths: [one], urlFiles: [`file://${relative('.', two)}`] });
    expect(json).toEqual(['{"id":"p-2","raw":"<d><i>2</i></d>"}']);
  });

  it('fails at the first invalid file', async () => {
    const publisher = new CollectingPublisher();
    await expect(publish({ filePaths: [one, bad, two] }, publisher)).rejects.toThrow(`${bad}:1: not well-formed XML`);
    expect(publisher.documents.map(({ id }) => id)).toEqual(['p-1', 'p-3']);
    await expect(publish({ filePaths: [join(folder, 'none.xml')] })).rejects.toThrow('Cannot read');
  });

  it('stops between files when the run stops', async () => {
    const publisher = new CollectingPublisher();
    publisher.abort();
    expect((await publish({ filePaths: [one, bad] }, publisher)).documents).toEqual([]);
  });

  it('rejects missing files, and files that are not local', () => {
    expect([...XMLConnector.check(withDefaults(XMLConnector.parameters, COMMON))]).toMatchObject([
      { parameter: 'filePaths' },
    ]);
    expect([
      ...XMLConnector.check(withDefaults(XMLConnector.parameters, { ...COMMON, filePaths: ['a.xml'], urlFiles: [] })),
    ]).toMatchObject([{ parameter: 'urlFiles', severity: 'warning', message: 'urlFiles is empty: nothing is read' }]);
    expect([
      ...XMLConnector.check(
        withDefaults(XMLConnector.parameters, { ...COMMON, filePaths: ['a.xml'], urlFiles: ['http://x/y.xml'] }),
      ),
    ]).toMatchObject([{ parameter: 'urlFiles[0]', message: expect.stringContaining('is not a local file') }]);
  });
});
