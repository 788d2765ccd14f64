/** An error in a response of a search engine. */
export interface ErrorCause {
  readonly type?: string;
  readonly reason?: string;
  readonly caused_by?: ErrorCause;
  /** The original causes, if shards have failed. */
  readonly root_cause?: readonly ErrorCause[];
}

/** Returns the reason of an error, and the reasons of its causes if they add information. */
export function reasonOf(error: ErrorCause | string | undefined): string | undefined {
  if (error === undefined || typeof error === 'string') return error;
  const reasons: string[] = [];
  const add = ({ reason, type }: ErrorCause) => {
    const text = reason ?? type;
    if (text !== undefined && !reasons.some((known) => known.includes(text))) reasons.push(text);
  };
  for (let cause: ErrorCause | undefined = error; cause !== undefined && cause !== null; cause = cause.caused_by) {
    add(cause);
  }
  for (const cause of error.root_cause ?? []) add(cause);
  return reasons.length === 0 ? undefined : reasons.join(' <- ');
}

/** Error types of an index or server that rejects every document. */
const OF_INDEX: ReadonlySet<string> = new Set([
  'cluster_block_exception',
  'index_closed_exception',
  'security_exception',
]);
/** Error reasons that reject every document, with error types that other errors share. */
const REASONS =
  /^(no write index is defined for alias|pipeline with id \[.*\] does not exist|Validation Failed: .* maximum (normal )?shards)/s;
/** Error types of an index that does not exist and cannot be created. */
const OF_NAME: ReadonlySet<string> = new Set(['index_not_found_exception', 'invalid_index_name_exception']);

/**
 * Returns whether an error would affect every document, and is not the fault of this one.
 * @param namesIndex whether documents name their index: then an invalid name is the fault of the document
 */
export function isFaultOfDestination(error: ErrorCause | string | undefined, namesIndex: boolean): boolean {
  if (error === undefined || typeof error === 'string') return false;
  const { type = '', reason = '' } = error;
  return OF_INDEX.has(type) || REASONS.test(reason) || (!namesIndex && OF_NAME.has(type));
}
