import { readFileSync } from 'node:fs';
import { catalogUrl } from '@headrace/components';
import { checkConfig, Document, Registry, readConfigText } from '@headrace/engine';
import { csvColumns, csvJob, writeCsvData } from './csv-data.mjs';
import { inDirectory } from './measure.mjs';

const ROWS = 20_000;
const ROUNDS = 12;

/** Measures the parts of the data path, each alone in one thread after a warm-up, in documents per processor second. */
export function microJobs() {
  return inDirectory(async (directory) => {
    const data = `${directory}/data.csv`;
    writeCsvData(data, ROWS);
    const registry = await Registry.open({
      catalogs: [catalogUrl],
      modules: [],
      base: import.meta.url,
      allowModules: false,
    });
    const csv = await parts(registry, csvJob(data, 'type: CSV', csvColumns(`${directory}/out.csv`)));
    const json = await parts(registry, csvJob(data, 'type: JSONLines', `jsonl { path: "${directory}/out.jsonl" }`));
    const chunks = await chunksOf(csv.connector);
    const decoder = await instantiate(chunks[0].decoder);
    const decode = (sink) => {
      for (const { bytes, position } of chunks) decoder.decode(bytes, position, { reject() {}, warn() {}, ...sink });
    };
    const documents = [];
    decode({ document: (document) => documents.push(document) });
    const tables = [];
    decode({ table: (table) => tables.push(table) });
    const csvEncoder = await instantiate(csv.indexer.encoder());
    const jsonEncoder = await instantiate(json.indexer.encoder());
    const lines = documents.map((document) => jsonEncoder.encode(document));
    const jsonBytes = Buffer.from(lines.join(''));
    const jsonChunk = await jsonChunkOf(registry, directory, jsonBytes);
    const jsonDecoder = await instantiate(jsonChunk.decoder);
    return [
      measure('CSV decoder, documents', () => decode({ document() {} })),
      measure('CSV decoder, tables', () => decode({ table() {} })),
      measure('JSON Lines decoder', () =>
        jsonDecoder.decode(jsonChunk.bytes, jsonChunk.position, { document() {}, reject() {}, warn() {} }),
      ),
      measure('document: set, rename and remove a field', () => {
        for (let i = 0; i < ROWS; i++) {
          const document = Document.create('id');
          document.set('a', i);
          document.rename('a', 'b', 'overwrite');
          document.remove('b');
        }
      }),
      measure('CSV encoder, documents', () => {
        for (const document of documents) csvEncoder.encode(document);
      }),
      measure('CSV encoder, tables', () => {
        for (const table of tables) Buffer.from(csvEncoder.encodeTable(table).join(''));
      }),
      measure('JSON encoder, documents', () => {
        for (const document of documents) jsonEncoder.encode(document);
      }),
      measure('JSON encoder, tables', () => {
        for (const table of tables) Buffer.from(jsonEncoder.encodeTable(table).join(''));
      }),
      await measureTransfer(),
    ];
  });
}

function measure(job, work) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1e6);
  }
  return { job: `micro: ${job}`, value: ROWS / fastest, unit: 'docs/s of one processor' };
}

/** Measures how fast pieces of 1 MiB are transferred to a port and back. */
async function measureTransfer() {
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = ({ data }) => port2.postMessage(data, [data.buffer]);
  const count = 5000;
  let piece = new Uint8Array(1024 * 1024);
  const started = performance.now();
  for (let i = 0; i < count; i++) {
    const back = new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
    });
    port1.postMessage(piece, [piece.buffer]);
    piece = await back;
  }
  const seconds = (performance.now() - started) / 1000;
  port1.close();
  return { job: 'micro: transfer of a MiB, there and back', value: count / seconds, unit: 'pieces/s' };
}

async function parts(registry, text) {
  const { root } = readConfigText(text);
  const { config, problems } = await checkConfig(root, registry);
  if (config === undefined) throw new Error(JSON.stringify(problems));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const Connector = await registry.load(config.connectors[0].entry);
  const Indexer = await registry.load(config.indexer.entry);
  const context = { name: 'c', docIdPrefix: '', runId: 'r', log, signal: new AbortController().signal, preview: false };
  return {
    connector: new Connector(config.connectors[0].params, context),
    indexer: new Indexer(config.indexer.params, { runId: 'r', log, settings: config.indexer.settings }),
  };
}

async function chunksOf(connector) {
  const chunks = [];
  await connector.execute({
    signal: new AbortController().signal,
    publishChunk: async (chunk) => void chunks.push(chunk),
    publish() {},
    reject() {},
  });
  return chunks;
}

async function jsonChunkOf(registry, directory, bytes) {
  const { writeFileSync } = await import('node:fs');
  const path = `${directory}/lines.jsonl`;
  writeFileSync(path, bytes);
  const text = `connectors: [{class: JSONConnector, name: j, pipeline: p, jsonPath: "${path}"}]
pipelines: [{name: p, stages: []}]
indexer { class: NopIndexer }`;
  const chunks = await chunksOf((await parts(registry, text)).connector);
  return { ...chunks[0], bytes: readFileSync(path) };
}

async function instantiate({ url, name, options }) {
  return new (await import(url))[name](options);
}
