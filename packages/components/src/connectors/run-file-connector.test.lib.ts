import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkNested, type JsonObject, readJson } from '@headrace/engine';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { FileConnector } from './file-connector.ts';

/** Writes files below a folder, and creates the required folders. */
export async function writeFiles(folder: string, files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    // A file with the time of the start of a run would count as modified since.
    await utimes(join(folder, path), new Date(), new Date(Date.now() - 60_000));
  }
}

/** Runs a FileConnector over a folder. The returned paths are relative to the folder. */
export async function runFileConnector(folder: string, params: Record<string, unknown>) {
  const publisher = new CollectingPublisher();
  const given = readJson(JSON.stringify({ paths: [folder], ...params })) as JsonObject;
  const checked = checkNested(FileConnector, given, []);
  const context = {
    name: 'files',
    docIdPrefix: '',
    runId: 'r',
    log: publisher.log,
    notices: publisher.notices,
    signal: publisher.signal,
    preview: false,
  };
  const connector = new FileConnector(checked.params as never, context);
  try {
    await connector.execute(publisher);
    await connector.markRead();
    connector.postExecute();
  } finally {
    await connector.close();
  }
  const short = (text: string) => text.replaceAll(`file://${folder}/`, '');
  const documents = publisher.json.map((text) => JSON.parse(text) as Record<string, string>);
  return {
    documents,
    /** The paths of files and the ids of records, sorted. */
    found: documents.map(({ id = '', file_path }) => short(file_path ?? id)).sort(),
    rejected: publisher.rejected.map(({ place, message }) => `${short(place)}: ${message}`).sort(),
    warnings: publisher.warnings.map(short),
    notices: publisher.collector.list(),
    message: connector.message === undefined ? undefined : short(connector.message),
  };
}
