import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import {
  hasErrors,
  JsonSyntaxError,
  messageOf,
  type PreviewedDocument,
  readJsonSequence,
  traceJson,
  withHint,
} from '@headrace/engine';
import { noticeText } from '@headrace/engine/notice-text';
import { RunLauncher } from '@headrace/engine/threads';
import { getConfigList, getString, hasPath, type ObjectNode } from '@headrace/hocon';
import { loadConfig, registrySource, STANDARD_INPUT } from '../config/load-config.ts';
import { problemLines } from '../config/print-problems.ts';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { traceLines } from '../report/trace-text.ts';
import { HEAP_MB } from './heap.ts';

interface PreviewOptions {
  readonly set: readonly string[];
  readonly pipeline: string | undefined;
  readonly documents: string | undefined;
  readonly limit: number | undefined;
  readonly trace: boolean;
  readonly components: readonly string[];
  readonly json: boolean;
}

/** The time limit of a preview. A preview that takes longer probably hangs. */
const TIMEOUT_MILLIS = 10 * 60_000;

/** `headrace preview CONFIG`: runs some documents through a pipeline, without a run. */
export async function preview([file = '']: readonly (string | undefined)[], options: PreviewOptions): Promise<number> {
  if (file === STANDARD_INPUT && options.documents === STANDARD_INPUT) {
    throw new CommandError('The config and the documents cannot both be standard input.', EXIT.invalid);
  }
  const { root, problems, name } = await loadConfig(file, options.set);
  if (root === undefined || hasErrors(problems)) {
    writeLines('stderr', problemLines(problems, name));
    return EXIT.invalid;
  }
  const lines = options.documents === undefined ? undefined : await readDocuments(options.documents);
  const threads = new RunLauncher({ heapMb: HEAP_MB, keepWarm: false });
  try {
    const result = await threads.preview(
      {
        root,
        registry: registrySource(file, options.components),
        trusted: true,
        trace: options.trace,
        ...(options.pipeline === undefined ? {} : { pipeline: options.pipeline }),
        ...(lines === undefined
          ? {}
          : { documents: lines.flatMap(({ text, trailing }) => (trailing === undefined ? [text] : [])) }),
        ...(options.limit === undefined ? {} : { limit: options.limit }),
      },
      TIMEOUT_MILLIS,
    );
    const all = [...problems, ...result.problems];
    writeLines('stderr', problemLines(all, name));
    if (hasErrors(all)) return EXIT.invalid;
    if (lines === undefined) refuseUnfed(root, options.pipeline);
    const results = lines === undefined ? result.results : withTornLines(lines, result.results);
    for (const one of results) print(one, options.json);
    writeLines(
      'stderr',
      result.notices.map((notice) => `Notice ${noticeText(notice)}`),
    );
    return results.some((one) => one.failure !== undefined) ? EXIT.failed : EXIT.ok;
  } finally {
    await threads.close();
  }
}

/**
 * Throws if no connector delivers documents to the pipeline, because they are needed without `--documents`. `root` is
 * valid.
 */
function refuseUnfed(root: ObjectNode, pipeline: string | undefined): void {
  const name = pipeline ?? getString(getConfigList(root, 'pipelines')[0] as ObjectNode, 'name');
  const fed = getConfigList(root, 'connectors').some(
    (connector) => hasPath(connector, 'pipeline') && getString(connector, 'pipeline') === name,
  );
  if (fed) return;
  const message = `No connector feeds the pipeline ${name}. Give it documents: --documents FILE.`;
  throw new CommandError(message, EXIT.invalid);
}

/** A line with a document, and the text after it. */
interface DocumentLine {
  readonly text: string;
  readonly trailing: string | undefined;
}

async function readDocuments(file: string): Promise<DocumentLine[]> {
  try {
    const text = file === STANDARD_INPUT ? await readText(process.stdin) : readFileSync(file, 'utf8');
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    return lines.map((line) => ({ text: line, trailing: trailingText(line) }));
  } catch (error) {
    throw new CommandError(`The documents ${file} cannot be read: ${messageOf(error)}`, EXIT.invalid);
  }
}

/**
 * Returns the text after the document of a line. Returns undefined if there is no such text, or if the line is not
 * JSON.
 */
function trailingText(line: string): string | undefined {
  try {
    const first = readJsonSequence(line).next().value;
    const rest = first === undefined ? '' : line.slice(first.end).trim();
    return rest === '' ? undefined : rest;
  } catch (error) {
    // The pipeline reports a line that is not JSON.
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Returns the results in the order of the lines. A line with text after its document counts as a failed document. */
function withTornLines(lines: readonly DocumentLine[], results: readonly PreviewedDocument[]): PreviewedDocument[] {
  const processed = results.values();
  return lines.flatMap(({ text, trailing }) => {
    if (trailing === undefined) return processed.next().value ?? [];
    const message = `There is more text after the document: ${trailing}`;
    const hint = 'Write each document on a separate line.';
    const failure = { stage: '', code: 'HR_DOCUMENT_SYNTAX', message, hint } as const;
    return { input: JSON.stringify(text), documents: [], dropped: [], failure };
  });
}

function print({ input, documents, dropped, failure, trace, log }: PreviewedDocument, json: boolean): void {
  if (json) {
    // Documents are printed unchanged. Parsing and writing them again would change long integers.
    const ids = JSON.stringify(dropped);
    const why = failure === undefined ? '' : `,"failure":${JSON.stringify(failure)}`;
    const how = trace === undefined ? '' : `,"trace":${traceJson(trace)}`;
    const said = log === undefined ? '' : `,"log":${JSON.stringify(log)}`;
    writeLines('stdout', [
      `{"input":${input},"documents":[${documents.join(',')}],"dropped":${ids}${why}${how}${said}}`,
    ]);
    return;
  }
  writeLines(
    'stderr',
    (log ?? []).map(({ level, stage, message }) => `${level}: ${stage === '' ? '' : `${stage}: `}${message}`),
  );
  if (trace !== undefined) {
    writeLines('stdout', traceLines(input, trace));
    return;
  }
  writeLines('stdout', documents);
  writeLines(
    'stderr',
    dropped.map((id) => `dropped: ${id}`),
  );
  if (failure !== undefined) {
    const stage = failure.stage === '' ? '' : `${failure.stage}: `;
    writeLines('stderr', [`failed: ${stage}${withHint(failure)} ${asText(input)}`]);
  }
}

/** Returns an input as text for a message. An input that was not a document is stored as a JSON string. */
function asText(input: string): string {
  return input.startsWith('"') ? (JSON.parse(input) as string) : input;
}
