import type { Publisher } from '@headrace/engine';

/**
 * Returns whether an error of `Publisher.settled` means that documents failed only because the destination accepted
 * none. The source must deliver them again in another run.
 */
export function isUndelivered(error: unknown): boolean {
  return (error as { code?: string }).code === 'HR_INDEXER_UNDELIVERED';
}

/** Returns whether the destination accepted or individually rejected all documents since the last call. */
export async function isDelivered(publisher: Publisher | undefined): Promise<boolean> {
  try {
    await publisher?.settled();
    return true;
  } catch (error) {
    if (isUndelivered(error)) return false;
    throw error;
  }
}
