import { Type, withDefaults } from '@headrace/engine';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { CsvFormat } from './csv-format.ts';
import { type CsvSettings, csvParameters } from './csv-settings.ts';

/** Returns the settings of a config that has these. */
export function csvSettings(given: Partial<CsvSettings> = {}): CsvSettings {
  return { ...withDefaults(Type.Object(csvParameters)), ...given };
}

/** Cuts bytes into pieces of a size. */
export async function* pieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** Reads a CSV file. Returns the publisher with its documents. */
export async function publish(
  text: string | Uint8Array,
  settings: Partial<CsvSettings> = {},
  docIdPrefix = '',
): Promise<CollectingPublisher> {
  const publisher = new CollectingPublisher();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const format = new CsvFormat(csvSettings(settings), { docIdPrefix, log: publisher.log, notices: publisher.notices });
  await format.publish({ path: '/data/in.csv', name: 'in.csv', bytes: pieces(bytes) }, publisher);
  return publisher;
}
