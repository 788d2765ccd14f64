/**
 * The components of the plugin.
 *
 * @module
 */
export { ParquetConnector } from './parquet-connector.ts';
export { ParquetIndexer } from './parquet-indexer.ts';
