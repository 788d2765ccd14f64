export { type Change, ChangeJournal } from './change-journal.ts';
export { aliasOf, checkChecks, checkReindexing, checkRunId, type ReindexProblem } from './check-reindexing.ts';
export { INDEX_STATES, type IndexStates, whyClosed } from './closed-index.ts';
export { CollectionTarget } from './collection-target.ts';
export { ContentHasher } from './content-hash.ts';
export { createDefinitions, createIndex } from './create-index.ts';
export { deleteMissing } from './delete-missing.ts';
export { deleteMissingRows } from './delete-missing-rows.ts';
export { DocumentHashes } from './document-hashes.ts';
export { type ErrorCause, isFaultOfDestination, reasonOf } from './error-cause.ts';
export { findDifferences } from './find-differences.ts';
export { HashedBatch } from './hashed-batch.ts';
export { hashesError } from './hashes-error.ts';
export { IndexAdmin, type IndexClient, type IndexRequest, type IndexResponse } from './index-admin.ts';
export { type GivenDefinition, type IndexDefinition, readDefinition } from './index-definition.ts';
export { IndexHashes } from './index-hashes.ts';
export { cancelMove, IndexTarget, writeNameOf } from './index-target.ts';
export type { LiveChanges } from './live-changes.ts';
export { type ForeignWrites, findForeignWrites, foreignCheck, type LiveState, liveStateOf } from './live-writes.ts';
export { Rebuild, rollBack } from './rebuild.ts';
export { ndcg, reciprocalRank } from './rebuild-checks.ts';
export { ReindexError } from './reindex-error.ts';
export { joinBatches, RequestCollector, splitFailures } from './request-collector.ts';
export {
  type CollectionDefinition,
  compareCollection,
  createCollection,
  deleteMissingFromCollection,
  type FieldDifference,
} from './solr-collection.ts';
export type { SqlSession } from './sql-session.ts';
export { compareTable, createTable, type TableDefinition, type TableDifference } from './table-definition.ts';
export { rollBackTable, TableRebuild, type TableRebuildPlan, tableIdentity } from './table-rebuild.ts';
export type { CheckResult, Checks, FinishedIndex, Json, Log, RebuildPlan, SavedQuery } from './types.ts';
export { type BulkDocuments, type TakenBatch, UnchangedDocuments } from './unchanged-documents.ts';
export { WatchedCollection } from './watched-collection.ts';
