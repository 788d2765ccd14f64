import type { EncodedBatch, IndexerSettings, IndexFailure, ParameterProblem } from 'headrace/engine';
import { HeadraceError, ignoredSettings } from 'headrace/engine';
import type { StoreClient } from './store-client.ts';
import type { StoreWriter } from './store-writer.ts';

/** The connection of a run to a store. */
export interface StoreConnection {
  readonly client: StoreClient;
  readonly writer: StoreWriter;
}

/** Returns the URL of a store without a slash at the end; undefined if the text is neither a host name nor a URL. */
export function storeUrl(host: string): string | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(host) ? host : `https://${host}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.href.replace(/\/+$/, '');
}

const IGNORED = ['indexOverrideField', 'routingField', 'versionType', 'versionField', 'deleteByFieldField'] as const;

/** Warns about settings of the block `indexer` that vector stores do not have. */
export function ignoredByStores(settings: IndexerSettings, indexer: string): Generator<ParameterProblem> {
  return ignoredSettings(settings, IGNORED, indexer, 'vector stores have no such setting');
}

/** Writes a batch with the connection that `connect` opened. */
export function writeTo(
  connection: StoreConnection | undefined,
  batch: EncodedBatch,
  signal: AbortSignal,
): Promise<readonly IndexFailure[]> {
  if (connection === undefined) throw new HeadraceError('HR_INTERNAL', 'send was called before connect');
  return connection.writer.write(batch, signal);
}
