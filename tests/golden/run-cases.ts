import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { catalogUrl } from '@headrace/components';
import {
  type JsonObject,
  type LogRecord,
  readConfigFile,
  readConfigText,
  readJsonSequence,
  type Value,
} from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import { canonicalJson, type OpenCase, writeFiles } from './golden-cases.ts';
import type { HttpStub, StubRequest } from './http-stub.ts';

const RUN_ID = '00000000-0000-4000-8000-000000000000';

/** The result of a run, in the format of the recordings. */
export interface RunFacts {
  exitCode: number;
  /** True if the config was rejected before the run. */
  refused: boolean;
  summary: string;
  accounting: string[];
  failedDocs: string[];
  /** For each connector, the documents that the pipeline passed to the indexer. Set only in mode `test`. */
  docs: Record<string, Value[]> | undefined;
  filesAfter: string[];
  output: Record<string, string>;
}

/**
 * Retries are on by default, unlike in the reference. A case without retry settings gets as few and short retries as
 * possible.
 */
const SHORTEST_RETRIES = '\nindexer { maxRetries: 1, retryWaitDurationMs: 5, retryRandomizationFactor: 0 }\n';

/** Turns off waiting: the reference does not wait for a destination that is down when a run starts. */
const NO_WAIT = { overrides: JSON.stringify({ 'indexer.connectTimeout': 0 }) };

/**
 * Runs the steps of a case in sequence in the same directory, and returns the differences from the recording.
 * @param stub the server of the case, if it needs one
 */
export async function runSteps(open: OpenCase, threads: RunLauncher, stub?: HttpStub): Promise<string[]> {
  const steps = open.content.get('steps') as JsonObject[] | undefined;
  if (steps === undefined) {
    const config = open.content.get('config') as string | undefined;
    if (stub !== undefined && config !== undefined && !/retry|maxRetries/i.test(config)) {
      open.content.set('config', config + SHORTEST_RETRIES);
    }
    const found = disagreements(await runCase(open, threads), open.content);
    return stub === undefined ? found : [...found, ...differentRequests(stub.requests, open.content)];
  }
  const expected = (open.content.get('expect') as JsonObject).get('steps') as JsonObject[];
  const found: string[] = [];
  for (const [i, step] of steps.entries()) {
    for (const path of (step.get('delete') as string[] | undefined) ?? []) rmSync(join(open.folder, path));
    await writeFiles(step, open.folder);
    const facts = await runCase(open, threads);
    const content = new Map(open.content).set('expect', expected[i] as JsonObject);
    found.push(...disagreements(facts, content).map((text) => `step ${i + 1}: ${text}`));
  }
  return found;
}

/** Runs the config of a case in its mode: `test` (nothing is sent) or `local`. */
async function runCase({ content, folder }: OpenCase, threads: RunLauncher): Promise<RunFacts> {
  for (const path of (content.get('dirs') as string[] | undefined) ?? [])
    mkdirSync(join(folder, path), { recursive: true });
  const configFile = content.get('configFile') as string | undefined;
  const dry = (content.get('mode') ?? 'test') === 'test';
  const options = dry ? {} : NO_WAIT;
  const { root, problems } =
    configFile === undefined
      ? readConfigText(content.get('config') as string, options)
      : readConfigFile(join(folder, configFile), options);
  if (root === undefined || problems.length > 0) return refused('', folder);
  const dryRunFile = `${folder}.docs.jsonl`;
  const log: LogRecord[] = [];
  const registry = {
    catalogs: [catalogUrl],
    modules: [],
    base: new URL('.', import.meta.url).href,
    allowModules: false,
  };
  const request = { runId: RUN_ID, root, registry, ...(dry ? { dryRunFile } : {}) };
  const result = await threads.start(request, { onLog: (record) => log.push(record) }).done;
  const docs = readDocs(
    dryRunFile,
    result.connectors.map(({ name }) => name),
  );
  rmSync(dryRunFile, { force: true });
  if (result.connectors.length === 0 && result.status === 'FAILED') return refused(result.message, folder);
  const matching = (pattern: RegExp) => log.flatMap(({ message }) => pattern.exec(message)?.[0] ?? []);
  return {
    exitCode: result.status === 'SUCCEEDED' ? 0 : 1,
    refused: false,
    summary: result.message,
    accounting: matching(/^\d+ docs published.*drop events\.$/),
    failedDocs: log
      .filter(({ message }) => message.startsWith('Document FAILED '))
      .map(({ message, fields }) =>
        message.includes('during indexing') ? `${message}. Reason: ${fields?.reason}` : message,
      )
      .sort(),
    docs: dry ? docs : undefined,
    filesAfter: filesIn(folder),
    output: outputsOf(folder),
  };
}

/** Returns the differences from the recording. */
function disagreements(actual: RunFacts, content: JsonObject): string[] {
  const expected = content.get('expect') as JsonObject;
  const found: string[] = [];
  if (expected.has('configParseError') || expected.has('configErrors') || expected.has('escaped')) {
    return actual.refused || actual.exitCode !== 0 ? [] : ['the config was accepted'];
  }
  const compare = (what: string, ours: Value | undefined, theirs: Value | undefined) => {
    if (theirs === undefined || ours === undefined) return;
    const [a, b] = [canonicalJson(ours), canonicalJson(theirs)].map((text) => text.replaceAll(RUN_ID, '@RUN@'));
    if (a !== b) found.push(`${what}:\n  ours:   ${a}\n  theirs: ${b}`);
  };
  const anyOrder = content.get('order') === 'any';
  compare('exit code', actual.exitCode, Number(expected.get('exitCode')));
  const summary = expected.get('summary') as string | undefined;
  if (summary !== undefined) {
    const masked = actual.summary.replace(/Time: \d+\.\d\d secs/g, 'Time: @T@ secs');
    // Headrace adds the reasons of a failure after the recorded text.
    if (masked.slice(0, summary.length) !== summary) compare('summary', masked, summary);
  }
  compare('accounting', actual.accounting, expected.get('accounting'));
  const failed = expected.get('failedDocs') as string[] | undefined;
  // Headrace adds the response of the server after the recorded text.
  const cut = actual.failedDocs.map((text, i) => text.slice(0, failed?.[i]?.length));
  compare('failed documents', failed?.length === cut.length ? cut : actual.failedDocs, failed);
  if (actual.docs !== undefined && expected.has('docs')) {
    for (const [connector, docs] of expected.get('docs') as JsonObject) {
      const sort = (list: Value[]) => (anyOrder ? list.toSorted((a, b) => (timeless(a) < timeless(b) ? -1 : 1)) : list);
      const theirs = sort(docs as Value[]);
      compare(`documents of ${connector}`, withMask(sort(actual.docs[connector] ?? []), theirs), theirs);
    }
  }
  compare('files afterwards', actual.filesAfter, expected.get('filesAfter'));
  if (expected.has('output')) compare('output', new Map(Object.entries(actual.output)), expected.get('output'));
  return found;
}

/**
 * Returns the differences from the recorded requests. Headrace checks the availability of a server once per run, not
 * once per connector.
 */
function differentRequests(requests: readonly StubRequest[], content: JsonObject): string[] {
  const expected = (content.get('expect') as JsonObject).get('requests') as JsonObject[] | undefined;
  if (expected === undefined) return [];
  const compared = ['method', 'path', 'contentEncoding', 'lines', 'json', 'replied'] as const;
  const theirs = expected.map((request) => new Map([...request].filter(([key]) => compared.includes(key as 'path'))));
  const ours = requests.map((request) => new Map(Object.entries(request) as [string, Value][]));
  const texts = (list: JsonObject[]) => {
    const asked = list.filter((request) => request.get('method') !== 'HEAD');
    // Several batches may be in flight at the same time, so their order may differ.
    const anyOrder = content.get('order') === 'any' || /batch(Byte)?Size/.test(String(content.get('config')));
    const lines = asked.map((request) => {
      const actions = request.get('lines') as Value[] | undefined;
      if (anyOrder && actions !== undefined) request.set('lines', pairs(actions).toSorted());
      return canonicalJson(request).replaceAll(RUN_ID, '@RUN@');
    });
    return anyOrder ? lines.toSorted() : lines;
  };
  const [a, b] = [texts(ours).join('\n    '), texts(theirs).join('\n    ')];
  return a === b ? [] : [`requests:\n  ours:\n    ${a}\n  theirs:\n    ${b}`];
}

/** Joins the lines of a bulk request that belong to one document. */
function pairs(lines: readonly Value[]): string[] {
  const texts: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const action = canonicalJson(lines[i] as Value);
    texts.push((lines[i] as JsonObject).has('delete') ? action : `${action} ${canonicalJson(lines[++i] as Value)}`);
  }
  return texts;
}

/** Returns the content of a document without its times, as a sort key. */
function timeless(document: Value): string {
  return canonicalJson(new Map([...(document as JsonObject)].filter(([name]) => !name.endsWith('_date'))));
}

/** The patterns of the placeholders in expected values. */
const MASKS: Readonly<Record<string, RegExp>> = {
  '@INSTANT@': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  '@UUID@': /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
};

/** Returns the documents with the recording's placeholders, where the actual value matches the pattern. */
function withMask(documents: readonly Value[], expected: readonly Value[]): Value[] {
  return documents.map((document, i) => {
    const masks = expected[i] as JsonObject | undefined;
    const entries = [...(document as JsonObject)].map(([name, value]): [string, Value] => {
      const mask = masks?.get(name);
      const kind = typeof mask === 'string' ? MASKS[mask] : undefined;
      return [name, kind?.test(String(value)) === true ? (mask as string) : value];
    });
    return new Map(entries);
  });
}

function refused(summary: string, folder: string): RunFacts {
  const filesAfter = filesIn(folder);
  return {
    exitCode: 1,
    refused: true,
    summary,
    accounting: [],
    failedDocs: [],
    docs: undefined,
    filesAfter,
    output: {},
  };
}

function readDocs(path: string, connectors: readonly string[]): Record<string, Value[]> {
  const docs: Record<string, Value[]> = Object.fromEntries(connectors.map((name) => [name, []]));
  if (!existsSync(path)) return docs;
  for (const { value } of readJsonSequence(readFileSync(path, 'utf8'))) {
    const line = value as JsonObject;
    docs[line.get('connector') as string]?.push(line.get('document') as Value);
  }
  return docs;
}

function filesIn(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => statSync(join(folder, path)).isFile() && !path.startsWith('state'))
    .map((path) => relative(folder, join(folder, path)))
    .sort();
}

function outputsOf(folder: string): Record<string, string> {
  const outputs = filesIn(folder).filter((path) => path.startsWith('out/'));
  return Object.fromEntries(outputs.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** Returns all component classes and indexer types in a config text. */
export function componentsOf(caseText: string): string[] {
  const config = caseText.replaceAll('\\"', '"');
  const classes = [...config.matchAll(/["\s{,]class"?\s*[:=]\s*"?([\w.]+)/g)].map(([, name]) => name as string);
  const types = [...config.matchAll(/indexer[\s:{"]+[^}]*?type"?\s*[:=]\s*"?(\w+)/g)].map(([, name]) => `type ${name}`);
  return [...classes, ...types];
}
