import { runStage } from '@headrace/engine/testing';
import { TextExtractor } from '../text-extractor.ts';

/** The folder with the files of the tests. */
export const folder = new URL('./files/', import.meta.url).pathname;

/** Extracts a file, and returns the document without its path. */
export async function extract(name: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const [outcome] = await runStage(TextExtractor, { filePathField: 'path', ...params }, [
    { id: '1', path: `${folder}${name}` },
  ]);
  if (outcome?.error !== undefined) return { error: outcome.error };
  const { id, path, ...rest } = JSON.parse(outcome?.documents.at(-1) ?? '');
  return rest;
}

/** Extracts contents with one stage, and returns the outcome of each: the document, or its error. */
export async function extractAll(
  contents: readonly (string | Buffer)[],
  params: Record<string, unknown> = {},
): Promise<Record<string, unknown>[]> {
  const documents = contents.map((content, i) => ({ id: `${i}`, bytes: Buffer.from(content).toString('base64') }));
  const outcomes = await runStage(TextExtractor, { byteArrayField: 'bytes', ...params }, documents);
  return outcomes.map(({ error, documents: [document] }) =>
    error === undefined ? JSON.parse(document ?? '') : { error },
  );
}
