import {
  type DocumentEncoder,
  type EncodedBatch,
  type Indexer,
  type IndexFailure,
  indexerSettings,
  readDocument,
  silentNotices,
  withDefaults,
} from 'headrace/engine';

type Fields = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The settings of tests: failed requests are sent again without a wait. */
export const QUICK = { maxRetries: 2, retryWaitDurationMs: 1, retryMaxWaitDurationMs: 1 };

/** Returns the context of an indexer without logs. */
export function contextOf(settings: object = QUICK) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  return { runId: 'run', log, notices: silentNotices, settings: withDefaults(indexerSettings, settings) };
}

/**
 * Connects the indexer, sends documents in one batch, and closes it. Returns the failures by document id.
 * @param families the ids of the children of a document, by its id
 */
export async function writeDocuments(
  indexer: Indexer,
  documents: readonly Fields[],
  families: Readonly<Record<string, readonly string[]>> = {},
): Promise<Record<string, Omit<IndexFailure, 'index'>>> {
  await indexer.connect?.();
  try {
    const reference = indexer.encoder();
    if (reference === undefined) throw new Error('The indexer has no encoder');
    const module = (await import(reference.url)) as Record<string, new (options: unknown) => DocumentEncoder>;
    const Encoder = module[reference.name] as new (options: unknown) => DocumentEncoder;
    const encoder = new Encoder(JSON.parse(JSON.stringify(reference.options)));
    const pieces = documents.map((document) => {
      const parent = document.id;
      const children = families[parent];
      const line = children === undefined ? '' : `#${JSON.stringify({ parent, children })}\n`;
      return Buffer.from(encoder.encode(readDocument(JSON.stringify(document))) + line);
    });
    const batch: EncodedBatch = {
      count: pieces.length,
      pieces,
      lengths: () => Uint32Array.from(pieces, ({ length }) => length),
      ids: () => documents.map(({ id }) => id),
      pipeline: 'p',
      origins: () => documents.map(() => undefined),
    };
    const answer = await indexer.send(batch, new AbortController().signal);
    const failed = (Array.isArray(answer) ? answer : []) as IndexFailure[];
    return Object.fromEntries(failed.map(({ index, ...failure }) => [(documents[index] as Fields).id, failure]));
  } finally {
    await indexer.close?.({ failed: false });
  }
}
