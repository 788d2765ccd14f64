/**
 * The components of the plugin.
 *
 * @module
 */
export { EmitDocsToDeleteByPrefix } from './emit-docs-to-delete-by-prefix.ts';
export { LanceDBIndexer } from './lancedb-indexer.ts';
export { PineconeIndexer } from './pinecone-indexer.ts';
export { QdrantIndexer } from './qdrant-indexer.ts';
export { WeaviateIndexer } from './weaviate-indexer.ts';
