import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { CsvFormat } from './csv-format.ts';
import type { CsvSettings } from './csv-settings.ts';

/** Cuts bytes into pieces of a size. */
export async function* pieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** Reads a CSV file. Returns the publisher with its documents. */
export async function publish(
  text: string | Uint8Array,
  settings: CsvSettings = {},
  docIdPrefix = '',
): Promise<CollectingPublisher> {
  const publisher = new CollectingPublisher();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const format = new CsvFormat(settings, { docIdPrefix, log: publisher.log });
  await format.publish({ path: '/data/in.csv', name: 'in.csv', bytes: pieces(bytes) }, publisher);
  return publisher;
}
