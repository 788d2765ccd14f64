import type { ErrorCause } from './bulk-reply.ts';

/** What an index, or the server, answers to whatever document comes. */
const OF_INDEX: ReadonlySet<string> = new Set([
  'cluster_block_exception',
  'index_closed_exception',
  'security_exception',
]);
/** The same, said with a type that is that of other errors, too. */
const REASONS =
  /^(no write index is defined for alias|pipeline with id \[.*\] does not exist|Validation Failed: .* maximum (normal )?shards)/s;
/** There is no such index, nor is one made. */
const OF_NAME: ReadonlySet<string> = new Set(['index_not_found_exception', 'invalid_index_name_exception']);

/**
 * Whether an error of a document says nothing of it: every other one would be refused as well.
 * @param namesIndex whether documents name their index themselves: then a name that cannot be is theirs
 */
export function isFaultOfDestination(error: ErrorCause | string | undefined, namesIndex: boolean): boolean {
  if (error === undefined || typeof error === 'string') return false;
  const { type = '', reason = '' } = error;
  return OF_INDEX.has(type) || REASONS.test(reason) || (!namesIndex && OF_NAME.has(type));
}
