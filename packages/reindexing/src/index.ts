export { createMissing } from './create-index.ts';
export { deleteMissing } from './delete-missing.ts';
export { findDifferences } from './find-differences.ts';
export { IndexAdmin, type IndexRequest, type IndexResponse } from './index-admin.ts';
export { type IndexDefinition, type NamedDefinition, namedDefinition } from './index-definition.ts';
export { Rebuild, rollBack } from './rebuild.ts';
export { ndcg, reciprocalRank } from './rebuild-checks.ts';
export { ReindexError } from './reindex-error.ts';
export type { CheckResult, Checks, Json, Log, RebuildPlan, SavedQuery } from './types.ts';
