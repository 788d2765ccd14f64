import type { FileUri, Storage } from 'headrace/storage';
import { filesIn } from './folder-listing.ts';

export type TableKind = 'delta' | 'iceberg' | 'hudi';

export const TABLE_NAMES: Readonly<Record<TableKind, string>> = { delta: 'Delta', iceberg: 'Iceberg', hudi: 'Hudi' };

const FOLDERS: Readonly<Record<string, TableKind>> = { _delta_log: 'delta', metadata: 'iceberg', '.hoodie': 'hudi' };

/** The files that make a folder `metadata` that of an Iceberg table. */
export const ICEBERG_METADATA: RegExp = /\.metadata\.json(?:\.gz)?$/;

/** Returns which table a folder is by the names of its subfolders; undefined if it is none. */
export async function tableKind(
  storage: Storage,
  folder: FileUri,
  subfolders: Iterable<string>,
  signal: AbortSignal,
): Promise<TableKind | undefined> {
  for (const name of subfolders) {
    const kind = FOLDERS[name];
    if (kind === undefined) continue;
    if (kind !== 'iceberg') return kind;
    const metadata = inFolder(folder, name);
    for await (const { uri } of filesIn(storage, metadata, signal)) if (ICEBERG_METADATA.test(uri.path)) return kind;
  }
  return undefined;
}

/** Returns the table that contains a path, and its folder. Folders that cannot be listed are passed over. */
export async function tableAround(
  storage: Storage,
  { path, ...place }: FileUri,
  signal: AbortSignal,
): Promise<{ readonly kind: TableKind; readonly root: FileUri } | undefined> {
  const parts = path.split('/').filter((part) => part !== '');
  for (let length = parts.length - 1; length >= 0; length--) {
    const root = { ...place, path: `/${parts.slice(0, length).join('/')}` };
    for (const name of Object.keys(FOLDERS)) {
      try {
        const folder = inFolder(root, name);
        let exists = root.scheme === 'file';
        for await (const _ of filesIn(storage, folder, signal)) {
          exists = true;
          break;
        }
        const kind = exists ? await tableKind(storage, root, [name], signal) : undefined;
        if (kind !== undefined) return { kind, root };
      } catch {
        // The folder does not exist, or the config may not read it. If the storage fails, the next listing does too.
      }
    }
  }
  return undefined;
}

/** Returns a path in a folder. */
export function inFolder(folder: FileUri, name: string): FileUri {
  return { ...folder, path: `${folder.path.replace(/\/$/, '')}/${name}` };
}

/** Returns the last part of a path. */
export function nameOf({ path }: FileUri): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? '';
}
