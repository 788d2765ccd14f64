import { setImmediate } from 'node:timers/promises';
import { Registry } from '../component/registry.ts';
import { checkConfig } from '../config/check-config.ts';
import type { IngestConfig } from '../config/ingest-config.ts';
import type { Document } from '../document/document.ts';
import { writeString } from '../document/json-writer.ts';
import { readDocument } from '../document/read-document.ts';
import { type Failure, toFailure } from '../errors/headrace-error.ts';
import { nearest } from '../errors/nearest.ts';
import type { Problem } from '../errors/problem.ts';
import { type Guard, runGuarded } from '../execution/guard.ts';
import { Pipeline } from '../execution/pipeline.ts';
import type { PipelineSink } from '../execution/sink.ts';
import type { StageError } from '../execution/stage-error.ts';
import type { Tracer } from '../execution/trace.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { type Input, readFirst } from './first-records.ts';
import { PreviewLog } from './preview-log.ts';
import type { PreviewedDocument, PreviewRequest, PreviewResult } from './run-request.ts';

/** The number of documents that a preview reads from the connectors by default. */
const DEFAULT_LIMIT = 10;

/**
 * The maximum number of characters of documents in the traces of a preview. More would need too much memory, and no
 * user reads more.
 */
const TRACE_CHARACTERS = 16 * 2 ** 20;

/**
 * Sends documents through a pipeline and returns the output. Nothing is sent to an indexer. The request contains the
 * documents, or the preview reads the first documents from the connectors of the pipeline.
 * @param maxComputeMillis the maximum computing time of a document, even if the config allows more: a document that
 * never finishes must leave time for the other documents
 */
export async function preview(
  request: PreviewRequest,
  maxComputeMillis: number,
  signal: AbortSignal,
): Promise<PreviewResult> {
  try {
    const notices = new NoticeCollector();
    const registry = await Registry.open(request.registry);
    const { config, problems } = await checkConfig(request.root, registry);
    if (config === undefined) return { results: [], problems, notices: [] };
    const pipeline = findPipeline(config, request.pipeline);
    if ('severity' in pipeline) return { results: [], problems: [...problems, pipeline], notices: [] };
    const inputs = request.documents ?? [];
    const sources: Input[] = inputs.map(readInput);
    if (request.documents === undefined) {
      const limit = request.limit ?? DEFAULT_LIMIT;
      for (const connector of config.connectors.filter((c) => c.pipeline === pipeline.name)) {
        if (sources.length >= limit) break;
        sources.push(...(await readFirst(connector, registry, notices, limit - sources.length, signal)));
      }
    }
    const computeMillis = Math.min((config.worker.maxProcessingSecs as number) * 1000, maxComputeMillis);
    const log = new PreviewLog();
    const guard: Guard = (work, moreMillis = 0) => runGuarded(work, computeMillis + moreMillis);
    const started = await Pipeline.start(pipeline, registry, {
      runId: '',
      threadName: 'preview',
      threadNumber: 1,
      trusted: request.trusted === true,
      computeMillis,
      preview: true,
      log: (stage) => log.logger(stage),
      notices,
      guard,
    });
    const results: PreviewedDocument[] = [];
    try {
      const classes = pipeline.stages.map(({ entry }) => entry.name);
      const tracer = request.trace === true ? started.trace(classes, TRACE_CHARACTERS) : undefined;
      for (const source of sources) {
        const result = await previewOne(started, source, tracer, guard);
        threadMemory.releaseDocuments();
        // A script in a separate process has written its output by now, but this thread has not read it yet.
        await setImmediate();
        results.push(withLog(result, log));
      }
    } finally {
      await started.stop();
    }
    const last = results.pop();
    if (last !== undefined) results.push(withLog(last, log));
    return { results, problems, notices: notices.list() };
  } catch (error) {
    return {
      results: [],
      problems: [{ severity: 'error', path: '', ...toFailure(error, 'HR_INTERNAL') }],
      notices: [],
    };
  }
}

function withLog(result: PreviewedDocument, log: PreviewLog): PreviewedDocument {
  const lines = [...(result.log ?? []), ...log.take()];
  return lines.length === 0 ? result : { ...result, log: lines };
}

async function previewOne(
  pipeline: Pipeline,
  { text, document, failure }: Input,
  tracer: Tracer | undefined,
  guard: Guard,
): Promise<PreviewedDocument> {
  const result: PreviewedDocument = { input: text, documents: [], dropped: [] };
  const outputs: Document[] = [];
  if (document === undefined) return { ...result, failure: failure as Failure & { stage: string } };
  const fail = (error: StageError) => {
    result.failure = { stage: error.stage, ...toFailure(error, 'HR_STAGE_FAILED') };
  };
  const sink: PipelineSink = {
    emit: (output) => {
      tracer?.left();
      if (output.dropped) result.dropped.push(output.id);
      else outputs.push(output);
    },
    finished: () => undefined,
    failedDocument: (_, error) => fail(error),
  };
  const trace = tracer?.begin(document);
  if (trace !== undefined) result.trace = trace;
  let processed: Promise<number> | undefined;
  const begin = () => {
    processed = pipeline.process([document], sink, () => false);
  };
  // A pipeline that keeps several documents in flight applies the guard itself.
  if (!pipeline.inOrder) begin();
  else if (!guard(begin)) fail(pipeline.rows.overdue());
  await processed;
  try {
    for (const output of outputs) result.documents.push(output.toJson());
  } catch (error) {
    // In a run, the encoder of the indexer would fail on this document.
    result.failure = { stage: 'indexer', ...toFailure(error, 'HR_INDEXER_FAILED') };
  }
  return result;
}

function readInput(text: string): Input {
  try {
    return { text, document: readDocument(text) };
  } catch (error) {
    return { text: writeString(text), failure: { stage: '', ...toFailure(error, 'HR_DOCUMENT_SYNTAX') } };
  }
}

function findPipeline(config: IngestConfig, name: string | undefined): IngestConfig['pipelines'][number] | Problem {
  const found = name === undefined ? config.pipelines[0] : config.pipelines.find((pipeline) => pipeline.name === name);
  if (found !== undefined) return found;
  const known = [...new Set(config.pipelines.map((pipeline) => pipeline.name))];
  const best = name === undefined ? undefined : nearest(name, known);
  return {
    severity: 'error',
    code: 'HR_CONFIG_MISSING_PIPELINE',
    path: 'pipelines',
    message: name === undefined ? 'The config defines no pipelines' : `There is no pipeline ${name}`,
    hint: best === undefined ? `Known pipelines: ${known.join(', ') || 'none'}.` : `Did you mean ${best}?`,
  };
}
