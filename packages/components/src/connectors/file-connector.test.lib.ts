import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { checkNested, type JsonObject, readJson } from '@headrace/engine';
import { afterEach, beforeEach, expect } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { FileConnector } from './file-connector.ts';
import { writeFiles } from './run-file-connector.test.lib.ts';

/** The folder of the running test. */
export let folder: string;

/** Creates a folder for each test of the calling file. */
export function useFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-files-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
}

export type Params = Record<string, unknown>;

/** Writes files below the folder of the test. */
export function write(files: Record<string, string | Uint8Array>): Promise<void> {
  return writeFiles(folder, files);
}

export function problemsOf(params: Params): string[] {
  const { problems } = checkNested(FileConnector, readJson(JSON.stringify(params)) as JsonObject, []);
  return problems.map(({ message, severity }) => (severity === 'warning' ? `warning: ${message}` : message));
}

export function connector(
  params: Params,
  { log, notices }: Pick<CollectingPublisher, 'log' | 'notices'>,
  options: { preview?: boolean } = {},
) {
  const given = readJson(JSON.stringify({ paths: [join(folder, 'in')], ...params })) as JsonObject;
  const checked = checkNested(FileConnector, given, []);
  expect(checked.problems.filter(({ severity }) => severity !== 'warning')).toEqual([]);
  const signal = new AbortController().signal;
  const context = {
    name: 'files',
    docIdPrefix: '',
    runId: 'r',
    log,
    notices,
    signal,
    preview: options.preview ?? false,
  };
  return new FileConnector(checked.params as never, context);
}

/** Runs a connector until it ends. */
export async function run(params: Params = {}, options: { preview?: boolean; publisher?: CollectingPublisher } = {}) {
  const publisher = options.publisher ?? new CollectingPublisher();
  const running = connector(params, publisher, options);
  try {
    await running.execute(publisher);
    if (!publisher.signal.aborted) {
      await running.markRead();
      running.postExecute();
    }
  } finally {
    await running.close();
  }
  const documents = publisher.json.map((text) => JSON.parse(text) as Record<string, string>);
  const start = `file://${folder}/in/`;
  return {
    publisher,
    documents,
    /** The paths of files and the ids of records, sorted. */
    found: documents.map(({ id, file_path }) => file_path?.replace(start, '') ?? id).sort(),
    rejected: publisher.rejected.map(({ place, message }) => `${place.replace(start, '')}: ${message}`),
    warnings: publisher.warnings,
    notices: publisher.collector.list(),
    message: running.message,
  };
}

export const left = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('state'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
