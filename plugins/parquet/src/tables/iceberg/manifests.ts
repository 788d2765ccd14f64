import type { FileUri, Storage } from 'headrace/storage';
import { type AvroRecord, type AvroValue, readAvro } from './avro-file.ts';
import { readBytes } from './iceberg-metadata.ts';

/** A list of files. The numbers of fields are their ids. (Source: the specification of Iceberg, "Manifests".) */
export interface Manifest {
  readonly path: string;
  readonly hasDeletes: boolean;
  /** The partition spec of its files; undefined if only the manifest states it. */
  readonly specId: number | undefined;
  readonly sequence: number;
}

/** What a file of a manifest has. */
export const CONTENT = { data: 0, positions: 1, equality: 2 } as const;

/** A file of a snapshot: of rows, or of rows that are deleted. */
export interface ManifestFile {
  readonly content: number;
  readonly path: string;
  readonly format: string;
  readonly specId: number;
  readonly partition: AvroRecord;
  readonly sequence: number;
  readonly records: number;
  /** The ids of the columns whose values state which rows are deleted. */
  readonly equalityIds: readonly number[];
  /** The file whose rows are deleted, if there is only one. */
  readonly dataFile: string | undefined;
  /** Where a deletion vector is in its file. */
  readonly offset: number;
  readonly size: number;
  readonly isEncrypted: boolean;
}

/** The states of an entry: existing 0, added 1, deleted 2. */
const DELETED = 2;

export async function readManifestList(storage: Storage, uri: FileUri): Promise<Manifest[]> {
  const { records } = readAvro(await readBytes(storage, uri));
  return Array.from(records, (record) => ({
    path: String(record.get(500)),
    hasDeletes: record.get(517) === 1,
    specId: Number(record.get(502)),
    sequence: Number(record.get(515) ?? 0),
  }));
}

export async function readManifest(storage: Storage, uri: FileUri, manifest: Manifest): Promise<ManifestFile[]> {
  const { records, metadata } = readAvro(await readBytes(storage, uri));
  const specId = manifest.specId ?? Number(metadata.get('partition-spec-id') ?? 0);
  const files: ManifestFile[] = [];
  for (const entry of records) {
    if (entry.get(0) === DELETED) continue;
    const file = entry.get(2) as AvroRecord;
    files.push({
      content: Number(file.get(134) ?? CONTENT.data),
      path: String(file.get(100)),
      format: String(file.get(101)).toUpperCase(),
      specId,
      partition: (file.get(102) ?? new Map()) as AvroRecord,
      // A file that was added has the number of its manifest.
      sequence: Number(entry.get(3) ?? manifest.sequence),
      records: Number(file.get(103)),
      equalityIds: ((file.get(135) ?? []) as readonly AvroValue[]).map(Number),
      dataFile: (file.get(143) ?? undefined) as string | undefined,
      offset: Number(file.get(144) ?? 0),
      size: Number(file.get(145) ?? 0),
      isEncrypted: (file.get(131) ?? null) !== null,
    });
  }
  return files;
}
