import { type FileUri, localFileUri, parseFileUri, type Storage, type StoredFile } from 'headrace/storage';

/** What a listing of a folder calls for what is not a file of it. */
export interface FolderCalls {
  onFolder(folder: FileUri): void;
  /** Called with the URI of what cannot be read, which is passed over. Without it, the listing throws. */
  onProblem(uri: string, error: unknown): void;
}

/** Lists the files of a folder, without those of its subfolders. */
export function filesIn(
  storage: Storage,
  folder: FileUri,
  signal: AbortSignal,
  calls: Partial<FolderCalls> = {},
): AsyncIterable<StoredFile> {
  // Without the slash, an object store would list all objects whose key begins with the name.
  return filesAt(
    storage,
    isLocal(folder) ? folder : { ...folder, path: folder.path.replace(/\/?$/, '/') },
    signal,
    calls,
  );
}

/** Lists the files at a path as `filesIn` does. In an object store, the path may be the beginning of keys. */
export function filesAt(
  storage: Storage,
  start: FileUri,
  signal: AbortSignal,
  { onFolder, onProblem }: Partial<FolderCalls> = {},
): AsyncIterable<StoredFile> {
  const own = isLocal(start) ? localFileUri(start.path) : undefined;
  return storage.list(start, {
    skips: (uri) => {
      if (uri === own) return false;
      onFolder?.(folderUri(uri, start));
      return true;
    },
    onProblem:
      onProblem ??
      ((_uri, error) => {
        throw error;
      }),
    signal,
  });
}

/** Local paths and keys of S3 are escaped in the URI of a folder; those of the other stores are not. */
function folderUri(uri: string, { scheme, authority }: FileUri): FileUri {
  if (scheme === 'file' || scheme === 's3') return parseFileUri(uri);
  return { scheme, authority, path: uri.slice(`${scheme}://${authority}`.length) };
}

function isLocal({ scheme }: FileUri): boolean {
  return scheme === 'file';
}
