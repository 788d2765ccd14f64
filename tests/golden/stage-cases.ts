import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkConfig,
  Document,
  formatProblem,
  hasErrors,
  type IngestConfig,
  type JsonObject,
  type Logger,
  messageOf,
  NoticeCollector,
  type Problem,
  type Registry,
  readJson,
  type Value,
} from '@headrace/engine';
import { Pipeline } from '@headrace/engine/testing';
import { parse } from '@headrace/hocon';
import { canonicalJson, fileBytes, type OpenCase } from './golden-cases.ts';

/** The result of a case: the list of stages was rejected, or each document has a result. */
export type StageOutcome =
  | { readonly refused: 'config' | 'start'; readonly messages: readonly string[] }
  | { readonly results: readonly DocumentResult[]; readonly files: Readonly<Record<string, string>> };

/** The result of one document: the emitted documents as canonical JSON, and whether processing failed. */
export interface DocumentResult {
  readonly docs: readonly string[];
  readonly failed: boolean;
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns the class names in a list of stages, as written. */
export function classNames(stages: string): string[] {
  const { value } = parse(`stages: ${stages}`);
  return (value['stages'] as { class?: unknown }[]).flatMap(({ class: name }) =>
    typeof name === 'string' ? name : [],
  );
}

/** Returns the result of a case in the reference. */
export function recordedOutcome({ content }: OpenCase): StageOutcome {
  const expected = content.get('expect') as JsonObject;
  for (const [key, refused] of [
    ['configErrors', 'config'],
    ['startErrors', 'start'],
  ] as const) {
    if (expected.has(key)) return { refused, messages: expected.get(key) as string[] };
  }
  const files = (expected.get('filesAfter') as JsonObject | undefined) ?? new Map<string, Value>();
  return {
    results: (expected.get('results') as JsonObject[]).map((result) => ({
      docs: (result.get('docs') as Value[]).map(canonicalJson),
      failed: result.has('error'),
    })),
    files: Object.fromEntries(files) as Record<string, string>,
  };
}

/** Returns the result of a case in Headrace. */
export async function actualOutcome({ content, folder }: OpenCase, registry: Registry): Promise<StageOutcome> {
  const { root, problems } = parse(
    `pipelines: [{name: p, stages: ${content.get('stages')}}], connectors: [], indexer {type: none}`,
  );
  if (problems.length > 0) return { refused: 'config', messages: problems.map((problem) => problem.message) };
  const checked = await checkConfig(root, registry);
  if (hasErrors(checked.problems)) return { refused: 'config', messages: texts(checked.problems) };
  const [config] = (checked.config as IngestConfig).pipelines;
  let pipeline: Pipeline;
  try {
    pipeline = await Pipeline.start(config as never, registry, {
      runId: '',
      threadName: 'Worker-1',
      threadNumber: 1,
      trusted: true,
      notices: new NoticeCollector(),
      log: () => silent,
    });
  } catch (error) {
    return { refused: 'start', messages: [messageOf(error)] };
  }
  const results: DocumentResult[] = [];
  for (const input of content.get('docs') as Value[]) results.push(await send(pipeline, input));
  await pipeline.stop();
  return { results, files: changedFiles(folder, (content.get('files') as JsonObject | undefined) ?? new Map()) };
}

/**
 * Returns whether an outcome is as good as the recorded one: the same documents and files, or a failure that is not
 * reported later. If the reference fails each document because of a wrong config, Headrace may reject the config.
 */
export function agrees(actual: StageOutcome, recorded: StageOutcome): boolean {
  if (!('refused' in actual)) return JSON.stringify(actual) === JSON.stringify(recorded);
  return moment(actual) <= moment(recorded);
}

function moment(outcome: StageOutcome): number {
  if ('refused' in outcome) return outcome.refused === 'config' ? 0 : 1;
  const { results } = outcome;
  return results.length > 0 && results.every(({ docs, failed }) => failed && docs.length === 0) ? 2 : -1;
}

async function send(pipeline: Pipeline, input: Value): Promise<DocumentResult> {
  const docs: string[] = [];
  let failed = false;
  let document: Document;
  try {
    document = Document.fromObject(input as JsonObject);
  } catch {
    return { docs, failed: true };
  }
  const sink = {
    // JSON text is the output of the engine.
    emit: (leaving: Document) => void docs.push(canonicalJson(readJson(leaving.toJson()))),
    finished() {},
    failedDocument: () => {
      failed = true;
    },
  };
  await pipeline.process([document], sink, () => false);
  return { docs, failed };
}

/** Returns the texts of the files that were created or changed, by path. */
function changedFiles(folder: string, before: JsonObject): Record<string, string> {
  const changed: Record<string, string> = {};
  if (!existsSync(folder)) return changed;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1);
    const bytes = readFileSync(file);
    const original = before.get(path);
    if (original === undefined || !fileBytes(original).equals(bytes)) changed[path] = bytes.toString();
  }
  return changed;
}

function texts(problems: readonly Problem[]): string[] {
  return problems.map((problem) => formatProblem(problem));
}
