/**
 * The components of the plugin.
 *
 * @module
 */
export { ParquetConnector } from './parquet-connector.ts';
