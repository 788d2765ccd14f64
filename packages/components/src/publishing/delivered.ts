import type { Publisher } from '@headrace/engine';

/** Whether an error of `Publisher.settled` says that the destination took none of some documents: they come again. */
export function isUndelivered(error: unknown): boolean {
  return (error as { code?: string }).code === 'HR_INDEXER_UNDELIVERED';
}

/** Whether the destination took all documents since the last look, or failed them for their own sake. */
export async function isDelivered(publisher: Publisher | undefined): Promise<boolean> {
  try {
    await publisher?.settled();
    return true;
  } catch (error) {
    if (isUndelivered(error)) return false;
    throw error;
  }
}
