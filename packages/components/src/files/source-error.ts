import { HeadraceError, messageOf } from '@headrace/engine';
import { PublishingFailed } from '../file-formats/publishing.ts';
import type { FileUri } from '../storage/file-uri.ts';

/** Returns the error to report if a place cannot be listed or its files cannot be published. */
export function sourceError(start: FileUri, error: unknown): unknown {
  if (error instanceof PublishingFailed) return error.cause;
  if (error instanceof HeadraceError) return error;
  const place = start.scheme === 'file' ? start.path : `${start.scheme}://${start.authority}${start.path}`;
  return new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot list ${place}: ${messageOf(error)}`, { cause: error });
}
