import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace, repository } from '../cli/headrace.ts';

const data = join(repository, 'examples/data');

const PARQUET = `class: ParquetConnector, name: c, pipeline: p, paths: ["${data}/airports.parquet"], idField: iata`;
const VIDEO = `mp4 { class: VideoFileHandler, frameStride: 5, ffmpegPath: "${ffmpegPath}"`;
const FILES = `class: FileConnector, name: c, pipeline: p, paths: ["${data}/clips"]`;
const TO_LINES = 'indexer { type: JSONLines, blacklist: [run_id] }, jsonl { path: out.jsonl }';
const FROM_SEQUENCE = 'class: SequenceConnector, name: c, pipeline: p, numDocs: 3';

function configOf(connector: string, indexer: string): string {
  return `connectors: [{ ${connector} }]\npipelines: [{ name: p, stages: [] }]\n${indexer}\n`;
}

const MISSPELLED = {
  ParquetConnector: configOf(`${PARQUET}, noSuch: 1`, TO_LINES),
  VideoFileHandler: configOf(`${FILES}, fileHandlers { ${VIDEO}, noSuch: 1 } }`, TO_LINES),
  ParquetIndexer: configOf(
    FROM_SEQUENCE,
    'indexer { type: Parquet }, parquet { path: out.parquet, columns { id: text }, noSuch: 1 }',
  ),
  WeaviateIndexer: configOf(FROM_SEQUENCE, 'indexer { type: Weaviate }, weaviate { host: localhost, noSuch: 1 }'),
  QdrantIndexer: configOf(
    FROM_SEQUENCE,
    'indexer { type: Qdrant }, qdrant { url: "http://localhost:6333", collection: c, vectorField: v, noSuch: 1 }',
  ),
  PineconeIndexer: configOf(
    FROM_SEQUENCE,
    'indexer { type: Pinecone }, pinecone { apiKey: k, index: i, defaultEmbeddingField: v, noSuch: 1 }',
  ),
  LanceDBIndexer: configOf(
    FROM_SEQUENCE,
    'indexer { type: LanceDB, batchSize: 1000 }, lancedb { path: db, table: t, vectorField: v, noSuch: 1 }',
  ),
};

it.each(Object.entries(MISSPELLED))('%s refuses an unknown parameter, and nothing else', async (_, config) => {
  const { code, stdout } = await headrace(['validate', 'a.conf'], { cwd: directoryWith({ 'a.conf': config }) });
  expect(code).toBe(2);
  expect(stdout).toMatch(/^a\.conf:\d+:\d+: error: .*Config contains unknown property noSuch\b/m);
  expect(stdout).toContain('(1 error)');
});

describe.each<[string, (more: string) => string, number]>([
  ['ParquetConnector', (more) => `${PARQUET}, ${more}`, 69],
  ['VideoFileHandler', (more) => `${FILES}, fileHandlers { ${VIDEO}, ${more} } }`, 4],
])('%s', (_, connector, count) => {
  const folderOf = (more = '') => directoryWith({ 'a.conf': configOf(connector(more), TO_LINES) });
  /** Runs the config in a folder, and returns the documents. */
  const run = async (cwd: string): Promise<{ id: string }[]> => {
    const { code, stdout, stderr } = await headrace(['run', 'a.conf'], { cwd });
    expect(code, stderr + stdout).toBe(0);
    return readFileSync(join(cwd, 'out.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  it('reads the same documents in each run, and puts docIdPrefix before each id', async () => {
    const cwd = folderOf();
    const first = await run(cwd);
    expect(first).toHaveLength(count);
    expect(await run(cwd)).toEqual(first);
    const prefixed = await run(folderOf('docIdPrefix: "x-"'));
    expect(prefixed).toEqual(first.map((document) => ({ ...document, id: `x-${document.id}` })));
  });

  it('reads only the first documents for a preview', async () => {
    const { code, stdout } = await headrace(['preview', 'a.conf', '--limit', '2'], { cwd: folderOf() });
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });
});
