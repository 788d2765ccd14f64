import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { fastest, inDirectory, inTurns, runConfig, runNode } from './measure.mjs';
import { filesJob } from './source-jobs.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const byHand = path('plugins/by-hand.mjs');
const MODEL = path('../examples/answers/model');
const TEXT =
  'Yesterday Anna Smith of Harbour Cycles met Peter Jones in Berlin, and they sailed to Oslo on an old ship. ';

/** Measures each plugin beside its library alone, in processor time. */
export async function pluginJobs() {
  const jobs = [ocr, entities, embeddings, textExtraction, parquet, video, vectorStores];
  const rows = [];
  for (const job of jobs) rows.push(...(await inDirectory(job)));
  return rows;
}

/** Measures a config in turns with the program by hand. */
async function compare(job, directory, { kind, input, config, count, unit, env = {} }) {
  const output = `${directory}/by-hand.out`;
  const results = await inTurns(2, {
    alone: () => runNode([byHand, kind, input, output], { env: { ...process.env, ...env } }),
    run: () => runConfig(directory, config, count),
  });
  const [alone, run] = [fastest(results.alone), fastest(results.run)];
  const [value, share] = [count / run.cpu, alone.cpu / run.cpu];
  return [
    { job, value, unit: `${unit}/s of processor time`, cpu: run.cpu, cpuByHand: alone.cpu, peak: run.peak, share },
  ];
}

function copies(directory, file, count) {
  const folder = `${directory}/files`;
  mkdirSync(folder);
  for (let i = 0; i < count; i++) copyFileSync(path(file), `${folder}/${i}-${file.split('/').at(-1)}`);
  return folder;
}

function jsonLines(directory, count, documentOf) {
  const file = `${directory}/documents.jsonl`;
  const lines = Array.from({ length: count }, (_, i) => `${JSON.stringify(documentOf(i))}\n`);
  writeFileSync(file, lines.join(''));
  return file;
}

const written = (directory, connector, stage) => `connectors: [{ ${connector}, name: c, pipeline: p }]
pipelines: [{ name: p, stages: [${stage}] }]
worker.threads: 1
indexer { type: JSONLines }
jsonl { path: "${directory}/out.jsonl" }`;
const filesOf = (folder) => `class: FileConnector, paths: ["${folder}"], fileOptions { getFileContent: false }`;
const linesOf = (file) => `class: JSONConnector, jsonPath: "${file}"`;

function ocr(directory) {
  const input = copies(directory, '../plugins/ocr/src/testing/files/hello.png', 40);
  const config = written(
    directory,
    filesOf(input),
    '{ class: ApplyOCR, lang: eng, pathField: file_path, extractAllDest: text }',
  );
  return compare('OCR of 40 small images', directory, { kind: 'ocr', input, config, count: 40, unit: 'images' });
}

function entities(directory) {
  const input = jsonLines(directory, 2000, (i) => ({ id: `${i}`, text: TEXT.repeat(1 + (i % 5)) }));
  const stage = '{ class: ApplyOpenNLPNameFinders, engine: compromise, textField: text, models { people: person } }';
  const config = written(directory, linesOf(input), stage);
  return compare('people in 2,000 texts, compromise', directory, {
    kind: 'entities',
    input,
    config,
    count: 2000,
    unit: 'texts',
  });
}

async function embeddings(directory) {
  if (!existsSync(MODEL)) execFileSync(path('../examples/answers/get-model.sh'));
  const input = jsonLines(directory, 500, (i) => ({ id: `${i}`, text: `${i} ${TEXT.repeat(1 + (i % 4))}` }));
  const config = written(directory, linesOf(input), `{ class: LocalEmbed, source: text, model: "${MODEL}" }`);
  const env = { MODEL, GRAPH: await writeGraph(`${directory}/model.onnx`) };
  const job = { kind: 'embeddings', input, config, count: 500, unit: 'texts', env };
  const rows = await compare('vectors of 500 texts, MiniLM', directory, job);
  checkVectors(readVectors(`${directory}/out.jsonl`), readVectors(`${directory}/by-hand.out`));
  return rows;
}

/** Writes the graph that the plugin makes of the weights, because the library alone reads only ONNX files. */
async function writeGraph(file) {
  const plugin = (name) => import(path(`../plugins/embeddings/dist/model/${name}.js`));
  const [{ bertGraph }, { Safetensors }] = [await plugin('bert-graph'), await plugin('safetensors')];
  const config = JSON.parse(readFileSync(`${MODEL}/config.json`, 'utf8'));
  writeFileSync(file, bertGraph(config, new Safetensors(readFileSync(`${MODEL}/model.safetensors`)), false));
  return file;
}

function readVectors(file) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => JSON.parse(line)).map(({ id, embeddings }) => [id, embeddings]));
}

function checkVectors(found, expected) {
  for (const [id, vector] of expected) {
    const difference = Math.max(...vector.map((value, i) => Math.abs(value - found.get(id)?.[i])));
    if (!(difference < 1e-5)) throw new Error(`The vectors of text ${id} differ by ${difference}`);
  }
}

function textExtraction(directory) {
  const input = copies(directory, '../examples/answers/files/warranty.pdf', 300);
  const config = written(directory, filesOf(input), '{ class: TextExtractor, filePathField: file_path }');
  return compare('text of 300 PDF files', directory, { kind: 'text', input, config, count: 300, unit: 'files' });
}

async function parquet(directory) {
  const { parquetWriteBuffer } = await import(
    createRequire(path('../plugins/parquet/package.json')).resolve('hyparquet-writer')
  );
  const count = 1_000_000;
  const column = (name, type, cell) => ({ name, type, data: Array.from({ length: count }, (_, i) => cell(i)) });
  const columns = [
    column('id', 'STRING', String),
    ...Array.from({ length: 3 }, (_, c) => column(`text${c}`, 'STRING', (i) => `text ${c} ${i % 1000}`)),
    ...Array.from({ length: 3 }, (_, c) => column(`double${c}`, 'DOUBLE', (i) => i / (c + 7))),
    ...Array.from({ length: 3 }, (_, c) => column(`int${c}`, 'INT32', (i) => i * (c + 1))),
  ];
  const input = `${directory}/rows.parquet`;
  writeFileSync(input, Buffer.from(parquetWriteBuffer({ columnData: columns })));
  const config = `connectors: [{ class: ParquetConnector, name: c, pipeline: p, idField: id, paths: ["${input}"] }]
pipelines: [{ name: p, stages: [] }]
worker.threads: 1
indexer { class: NopIndexer }`;
  return compare('1,000,000 rows of ten columns, Parquet, Nop', directory, {
    kind: 'parquet',
    input,
    config,
    count,
    unit: 'rows',
  });
}

async function video(directory) {
  const { ffmpegPath } = await import('@headrace/testing/ffmpeg');
  const input = `${directory}/video.mp4`;
  execFileSync(ffmpegPath, ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25:duration=20', input]);
  const handler = `fileHandlers { mp4 { class: "VideoFileHandler", ffmpegPath: "${ffmpegPath}", frameStride: 5 } }`;
  const config = filesJob(input, handler);
  return compare('100 frames of a video, Nop', directory, { kind: 'video', input, config, count: 100, unit: 'frames' });
}

async function vectorStores(directory) {
  const server = spawn(process.execPath, [path('plugins/stub-store.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(server.stdout, 'data');
    const url = `http://127.0.0.1:${Number(port)}`;
    const vector = (i) => Array.from({ length: 384 }, (_, k) => Math.sin(i + k));
    const input = jsonLines(directory, 10_000, (i) => ({ id: `${i}`, title: `title ${i}`, embedding: vector(i) }));
    const config = `connectors: [{ ${linesOf(input)}, name: c, pipeline: p }]
pipelines: [{ name: p, stages: [] }]
worker.threads: 1
indexer { type: Qdrant, batchSize: 200 }
qdrant { url: "${url}", collection: c, vectorField: embedding }`;
    const job = { kind: 'qdrant', input, config, count: 10_000, unit: 'docs', env: { QDRANT_URL: url } };
    return await compare('10,000 vectors of 384 numbers to Qdrant (a stub)', directory, job);
  } finally {
    server.kill();
  }
}
