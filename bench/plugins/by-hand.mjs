// node bench/plugins/by-hand.mjs KIND INPUT OUTPUT: the work of a plugin with its library alone, without Headrace.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [kind, input, output] = process.argv.slice(2);
/** The libraries of a plugin are resolved from its folder. */
const from = (plugin) => createRequire(fileURLToPath(new URL(`../../plugins/${plugin}/package.json`, import.meta.url)));
const load = (plugin, library) => import(from(plugin).resolve(library));
const documents = () =>
  readFileSync(input, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const write = (lines) => writeFileSync(output, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const files = () => readdirSync(input).map((name) => join(input, name));

/** Returns the mean of the first vectors of a list, with the length 1. */
function meanOf(values, count, size) {
  const sum = values.slice(0, size);
  for (let at = size; at < count * size; at++) sum[at % size] += values[at];
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}

const kinds = {
  async ocr() {
    const { createWorker } = (await load('ocr', 'tesseract.js')).default;
    const data = from('ocr').resolve('@tesseract.js-data/eng/package.json').replace('package.json', '4.0.0_best_int');
    const worker = await createWorker('eng', 1, { langPath: data, cacheMethod: 'none', gzip: true });
    const lines = [];
    for (const path of files()) lines.push({ path, text: (await worker.recognize(readFileSync(path))).data.text });
    await worker.terminate();
    write(lines);
  },
  async entities() {
    const { default: nlp } = await load('entities', 'compromise');
    write(documents().map((one) => ({ ...one, people: nlp(one.text).people().json({ offset: true, terms: false }) })));
  },
  async embeddings() {
    const { Tokenizer } = (await load('../packages/local-models', '@huggingface/tokenizers')).default;
    const { default: onnx } = await load('embeddings', 'onnxruntime-node');
    const read = (name) => JSON.parse(readFileSync(join(process.env.MODEL, name), 'utf8'));
    const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
    const session = await onnx.InferenceSession.create(process.env.GRAPH, { intraOpNumThreads: 1 });
    const given = documents();
    const vectors = [];
    const texts = given.map(({ text }, i) => ({ i, ids: tokenizer.encode(text).ids }));
    texts.sort((a, b) => b.ids.length - a.ids.length);
    for (let at = 0; at < texts.length; at += 32) {
      const batch = texts.slice(at, at + 32);
      const length = batch[0].ids.length;
      const tensor = (values) => new onnx.Tensor('int64', values, [batch.length, length]);
      const ids = new BigInt64Array(batch.length * length);
      const mask = new BigInt64Array(ids.length);
      for (const [row, one] of batch.entries()) {
        ids.set(one.ids.map(BigInt), row * length);
        mask.fill(1n, row * length, row * length + one.ids.length);
      }
      const result = await session.run({ input_ids: tensor(ids), attention_mask: tensor(mask) });
      const { data, dims } = result.last_hidden_state;
      for (const [row, one] of batch.entries()) {
        vectors[one.i] = meanOf(data.subarray(row * length * dims[2]), one.ids.length, dims[2]);
      }
    }
    write(given.map((one, i) => ({ ...one, embeddings: Array.from(vectors[i]) })));
  },
  async text() {
    const { extractText, getDocumentProxy } = await load('text-extraction', 'unpdf');
    const lines = [];
    for (const path of files()) {
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(readFileSync(path))), {
        mergePages: true,
      });
      lines.push({ path, text });
    }
    write(lines);
  },
  async parquet() {
    const { parquetReadObjects } = await load('parquet', 'hyparquet');
    const { buffer, byteOffset, byteLength } = readFileSync(input);
    const file = buffer.slice(byteOffset, byteOffset + byteLength);
    write([(await parquetReadObjects({ file })).length]);
  },
  async video() {
    const { ffmpegPath } = await load('video', '@headrace/testing/ffmpeg');
    execFileSync(ffmpegPath, [
      '-v',
      'error',
      '-i',
      input,
      '-vf',
      'select=not(mod(n\\,5))',
      '-fps_mode',
      'vfr',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      output,
      '-y',
    ]);
  },
  async qdrant() {
    const points = documents().map(({ id, embedding, ...payload }) => ({ id, vector: embedding, payload }));
    for (let i = 0; i < points.length; i += 200) {
      const body = JSON.stringify({ points: points.slice(i, i + 200) });
      const headers = { 'content-type': 'application/json' };
      await (
        await fetch(`${process.env.QDRANT_URL}/collections/c/points?wait=true`, { method: 'PUT', headers, body })
      ).text();
    }
  },
};
await kinds[kind]();
