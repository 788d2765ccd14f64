import { HeadraceError, messageOf } from '@headrace/engine';
import { PublishingFailed } from '../formats/publishing.ts';
import type { FileUri } from '../storage/file-uri.ts';

/** What a run says of a place that cannot be listed, or of publishing what is there. */
export function sourceError(start: FileUri, error: unknown): unknown {
  if (error instanceof PublishingFailed) return error.cause;
  if (error instanceof HeadraceError) return error;
  const place = start.scheme === 'file' ? start.path : `${start.scheme}://${start.authority}${start.path}`;
  return new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot list ${place}: ${messageOf(error)}`, { cause: error });
}
