import type { Publisher } from '@headrace/engine';

const UNDELIVERED = 'documents could not be delivered';

/** Why documents do not count as read, by the code of the error of `Publisher.settled`. */
const REASONS = new Map<string | undefined, string>([
  ['HR_INDEXER_UNDELIVERED', UNDELIVERED],
  ['HR_RUN_FAILURES_NOT_KEPT', 'failed documents are not kept where they can be run again'],
]);

/**
 * Returns why an error of `Publisher.settled` means that documents do not count as read, so that the next run must read
 * them again. Returns undefined for other errors, with which the run fails.
 */
export function unreadReason(error: unknown): string | undefined {
  return REASONS.get((error as { code?: string }).code);
}

/** Returns why some documents since the last call do not count as read. Returns undefined if all of them do. */
export async function unreadSince(publisher: Publisher | undefined): Promise<string | undefined> {
  try {
    await publisher?.settled();
    return undefined;
  } catch (error) {
    const reason = unreadReason(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

/**
 * Returns whether the destination accepted or individually rejected all documents since the last call. Documents that it
 * rejected need not count as read.
 */
export async function isDelivered(publisher: Publisher | undefined): Promise<boolean> {
  return (await unreadSince(publisher)) !== UNDELIVERED;
}
