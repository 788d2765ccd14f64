import {
  type Publisher,
  type RecordDecoder,
  type RejectedRecord,
  type StageContext,
  silentNotices,
  withDefaults,
} from 'headrace/engine';
import { ParquetConnector } from '../parquet-connector.ts';

export interface ReadDocuments {
  /** The documents as JSON texts. */
  readonly json: string[];
  readonly rejected: RejectedRecord[];
  /** The bytes of all chunks. */
  readonly bytes: number;
  readonly message: string | undefined;
  readonly warnings: string[];
}

export const folder = new URL('./files/', import.meta.url).pathname;

/** Executes the connector, and decodes its chunks as a pipeline thread does. */
export async function readDocuments(
  params: Partial<ParquetConnector['params']>,
  docIdPrefix = '',
): Promise<ReadDocuments> {
  const { signal } = new AbortController();
  const warnings: string[] = [];
  const log: StageContext['log'] = { debug() {}, info() {}, warn: (text) => void warnings.push(text), error() {} };
  const context = { name: 'parquet', docIdPrefix, runId: '', log, notices: silentNotices, signal, preview: false };
  const connector = new ParquetConnector(
    withDefaults(ParquetConnector.parameters, { idField: 'id', ...params }),
    context,
  );
  const json: string[] = [];
  const rejected: RejectedRecord[] = [];
  let bytes = 0;
  const publisher: Publisher = {
    publish: () => undefined,
    async publishChunk(chunk) {
      bytes += chunk.bytes.length;
      const module = (await import(chunk.decoder.url)) as Record<string, new (options: unknown) => RecordDecoder>;
      const Decoder = module[chunk.decoder.name] as new (options: unknown) => RecordDecoder;
      // The options and the position are sent to another thread.
      const decoder = new Decoder(JSON.parse(JSON.stringify(chunk.decoder.options)));
      decoder.decode(chunk.bytes, structuredClone(chunk.position), {
        document: (document) => void json.push(document.toJson()),
        reject: (record) => void rejected.push(record),
        warn() {},
        notice() {},
      });
    },
    reject: (record) => void rejected.push(record),
    settled: async () => {},
    signal,
  };
  try {
    await connector.execute(publisher);
  } finally {
    await connector.close();
  }
  return { json, rejected, bytes, message: connector.message, warnings };
}
