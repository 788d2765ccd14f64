import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplyFileHandlers } from './apply-file-handlers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-handlers-'));
});
afterAll(() => rm(folder, { recursive: true }));

const HANDLERS = {
  csv: {},
  jsonl: { whitelist: ['id', 'v'] },
  xml: { xmlRootPath: '/r/x', xmlIdPath: '/r/x/id' },
  psv: { class: 'com.kmwllc.lucille.core.fileHandler.CSVFileHandler', separatorChar: '|' },
};

async function apply(name: string, content: string | Uint8Array, fileHandlers: Record<string, unknown> = HANDLERS) {
  const file_path = join(folder, name);
  await writeFile(file_path, content);
  const context = stageContext();
  const [outcome] = await runStage(ApplyFileHandlers, { fileHandlers }, [{ id: '1', file_path }], context);
  const documents = outcome?.documents.map((text) => JSON.parse(text)) ?? [];
  return { ids: documents.map(({ id }) => id), documents, error: outcome?.error, notices: context.collector.list() };
}

describe('ApplyFileHandlers', () => {
  it('satisfies the stage contract', () =>
    assertStageContract(ApplyFileHandlers, {
      params: { fileHandlers: { csv: {} } },
      document: { id: '1', file_path: 'x.csv', file_content: 'YSxiCjEsMgo=' },
    }));

  it('emits the records of a file before the document', async () => {
    const { documents } = await apply('a b%.csv', 'k,v\n1,x\n');
    const file_path = join(folder, 'a b%.csv');
    expect(documents).toEqual([
      { id: 'a b%.csv-1', source: file_path, filename: 'a b%.csv', k: '1', v: 'x', csvLineNumber: 1 },
      { id: '1', file_path },
    ]);
  });

  it('reads each format, including aliases and other extensions', async () => {
    expect((await apply('a.json', '{"id":"j","v":1,"w":2}')).documents[0]).toEqual({ id: 'j', v: 1 });
    expect((await apply('a.psv', 'k|v\n1|2\n')).documents[0]).toMatchObject({ k: '1', v: '2' });
    expect((await apply('A.CSV', 'k\n1\n')).ids).toEqual(['A.CSV-1', '1']);
    expect((await apply('a.xml', '<r><x><id>1</id></x></r>')).documents[0]).toEqual({
      id: '1',
      xml: '<x><id>1</id></x>',
    });
    expect((await apply('a.json', '[{"id":"1"},\n{"id":"2"}]')).ids).toEqual(['1', '2', '1']);
  });

  it('does not change documents without a path or without a handler for it', async () => {
    const documents = [
      { id: '1', file_content: 'YQ==' },
      { id: '2', file_path: null },
      { id: '3', file_path: 'csv' },
    ];
    const outcomes = await runStage(ApplyFileHandlers, { fileHandlers: { csv: {} } }, documents);
    expect(outcomes.map((outcome) => outcome.documents)).toEqual(documents.map((one) => [JSON.stringify(one)]));
  });

  it('skips invalid rows and reports them', async () => {
    const { ids, notices } = await apply('r.csv', 'a,b\n1\n3,4\n');
    expect(ids).toEqual(['r.csv-2', '1']);
    expect(notices).toMatchObject([
      {
        code: 'record.skipped',
        examples: [{ file: `${folder}/r.csv:2`, hint: 'the row has 1 column, the header 2' }],
      },
    ]);
  });

  it('fails at an unreadable object after emitting the objects before it', async () => {
    const { ids, error } = await apply('b.json', '{"id":"1"}\n{"v":1}\n{"id":"3"}\n');
    expect(ids).toEqual(['1']);
    expect(error).toMatch(/b\.json:2: the object has no id$/);
  });

  it('fails documents if the file or its content cannot be read', async () => {
    expect((await apply('q.csv', '"a\n1\n')).error).toContain('never closed');
    expect((await apply('m.xml', '<r><x></r>')).error).toContain('not well-formed');
    const [missing, broken] = await runStage(ApplyFileHandlers, { fileHandlers: { csv: {} } }, [
      { id: '1', file_path: join(folder, 'none.csv') },
      { id: '2', file_path: 'x.csv', file_content: 'no base64!' },
    ]);
    expect(missing?.error).toContain('ENOENT');
    expect(broken?.error).toContain('neither bytes nor base64 text');
  });

  it('decodes many records one piece at a time', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i},${'x'.repeat(20)}`).join('\n');
    const stage = makeStage(ApplyFileHandlers, { fileHandlers: { csv: { idField: 'k' } } });
    await writeFile(join(folder, 'big.csv'), `k,v\n${rows}\n`);
    const { toDocument } = (await import('@headrace/engine/testing')) as typeof import('@headrace/engine/testing');
    const children = await stage.process(toDocument({ id: '1', file_path: join(folder, 'big.csv') }));
    let count = 0;
    for (const child of children ?? []) expect(child.id).toBe(String(count++));
    expect(count).toBe(20_000);
  });

  it.each([
    [{}, 'fileHandlers must have at least one handler'],
    [{ pdf: {} }, 'No "class" provided for FileHandler config pdf.'],
    [{ x: { class: 'XmlFileHandler' } }, 'There is no file handler XmlFileHandler'],
    [{ csv: { oops: 1 } }, 'fileHandlers.csv.oops: Config contains unknown property oops'],
    [{ csv: { separatorChar: '' } }, 'separatorChar must not be empty'],
    [{ json: { blacklist: ['id'] } }, 'omits "id"'],
    [{ xml: { xmlRootPath: '/a' } }, 'One of xmlIdPath and xpathIdPath'],
  ])('refuses the parameters %j', (fileHandlers, message) => {
    expect(() => makeStage(ApplyFileHandlers, { fileHandlers })).toThrow(message);
  });
});
