// node --conditions=@headrace/source bench/pipeline-thread.mjs CONFIG: the work of one pipeline thread, in one process.
// Reads up to 24 MB of the source, and processes it repeatedly. Prints the processor time for a document after the
// warm-up, which other work on the machine changes little. `--cpu-prof` shows the functions of the source code.
import { readFileSync } from 'node:fs';
import { catalogUrl } from '@headrace/components';
import { checkConfig, Registry, readConfigText } from '@headrace/engine';
import { BatchProcessor } from '../packages/engine/src/batch/batch-processor.ts';
import { instantiate } from '../packages/engine/src/batch/decoders.ts';
import { Deadline } from '../packages/engine/src/execution/deadline.ts';
import { Pipeline } from '../packages/engine/src/execution/pipeline.ts';
import { FailureBudget } from '../packages/engine/src/failures/failure-budget.ts';
import { FlowControl } from '../packages/engine/src/transport/flow-control.ts';
import { median } from './measure.mjs';

const MOST_BYTES = 24_000_000;
const FEWEST_ROUNDS = 5;
const MILLIS = 5000;
const LIMIT_MILLIS = 600_000;

const log = { debug() {}, info() {}, warn() {}, error() {} };
const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: [],
  base: import.meta.url,
  allowModules: true,
});
const { config, problems } = await checkConfig(readConfigText(readFileSync(process.argv[2], 'utf8')).root, registry);
if (config === undefined) throw new Error(JSON.stringify(problems));
const chunks = await chunksOf(config.connectors[0]);
const Indexer = await registry.load(config.indexer.entry);
const indexer = new Indexer(config.indexer.params, { runId: 'r', log, settings: config.indexer.settings });
const encoder = indexer.encoder?.();
const deadline = new Deadline(LIMIT_MILLIS);
const flow = new FlowControl();
let documents = 0;
const pipeline = await Pipeline.start(config.pipelines[0], registry, {
  runId: 'r',
  threadName: 'bench',
  threadNumber: 0,
  trusted: true,
  computeMillis: LIMIT_MILLIS,
  tables: process.env.HEADRACE_TABLES !== 'off',
  log: () => log,
  guard: (work) => deadline.runOnce(work),
});
const processor = new BatchProcessor({
  pipeline,
  runId: 'r',
  encoder: encoder === undefined ? undefined : await instantiate(encoder, log),
  lengths: encoder !== undefined && !indexer.streaming,
  deadline,
  flow,
  failureBudget: new FailureBudget(),
  log,
  post: ({ published, failures }) => {
    if (failures.length > 0) throw new Error(JSON.stringify(failures[0]));
    documents += published;
  },
  broken: (_sequence, failure) => {
    throw new Error(failure.message);
  },
});
const times = [];
for (const started = performance.now(); times.length < FEWEST_ROUNDS || performance.now() - started < MILLIS; ) {
  documents = 0;
  const before = process.cpuUsage();
  for (const [sequence, chunk] of chunks.entries()) {
    flow.set(sequence, 0, 0, false);
    await processor.process(sequence, { kind: 'records', chunks: [{ ...chunk, bytes: new Uint8Array(chunk.bytes) }] });
  }
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / documents);
}
await pipeline.stop();
const [best, middle] = [Math.min(...times), median(times)].map((time) => time.toFixed(2));
console.log(`${best} µs for a document (median ${middle}), ${times.length} rounds of ${documents} documents`);

/** Returns the first chunks that a connector publishes. Each has its own memory. */
async function chunksOf({ entry, params }) {
  const Connector = await registry.load(entry);
  const ended = new AbortController();
  const { signal } = ended;
  const found = [];
  let bytes = 0;
  const connector = new Connector(params, { name: 'source', docIdPrefix: '', runId: 'r', log, signal, preview: false });
  await connector.execute({
    signal,
    publishChunk: async (chunk) => {
      found.push({ ...chunk, bytes: new Uint8Array(chunk.bytes) });
      bytes += chunk.bytes.byteLength;
      if (bytes >= MOST_BYTES) ended.abort();
    },
    publish() {},
    reject() {},
  });
  return found;
}
