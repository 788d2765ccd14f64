import type { JsonObject } from 'headrace/engine';
import type { FileUri, Storage } from 'headrace/storage';
import { ParquetFile } from '../../reading/parquet-file.ts';
import { fitColumns } from '../fit-columns.ts';
import { type FieldType, INTEGER, type TableField, TEXT } from '../table-field.ts';
import { readRows } from '../table-rows.ts';
import { type Action, actionOf, readActions } from './log-actions.ts';

const text: FieldType = { kind: 'value', element: TEXT };
const integer: FieldType = { kind: 'value', element: INTEGER };
const vector = struct({
  storageType: text,
  pathOrInlineDv: text,
  offset: integer,
  sizeInBytes: integer,
  cardinality: integer,
});

/** The parts of checkpoints that are read. Statistics, which are large, are not. */
const COLUMNS: Readonly<Record<string, FieldType>> = {
  add: struct({ path: text, partitionValues: { kind: 'map', key: text, value: text }, deletionVector: vector }),
  metaData: struct({
    schemaString: text,
    partitionColumns: { kind: 'list', item: text },
    configuration: { kind: 'map', key: text, value: text },
  }),
  protocol: struct({ minReaderVersion: integer, readerFeatures: { kind: 'list', item: text } }),
  sidecar: struct({ path: text }),
};

export type CheckpointKind = 'add' | 'metaData' | 'protocol' | 'sidecar';

/** Reads actions of some kinds from a file of a checkpoint. */
export async function* readCheckpoint(
  storage: Storage,
  uri: FileUri,
  kinds: readonly CheckpointKind[],
): AsyncGenerator<Action> {
  if (uri.path.endsWith('.json')) {
    for await (const action of readActions(storage, uri)) {
      if ((kinds as readonly string[]).includes(action.kind)) yield action;
    }
    return;
  }
  const ranges = await storage.openRanges(uri);
  try {
    const opened = await ParquetFile.open(ranges);
    const known = new Set(opened.columns);
    const wanted = kinds.filter((kind) => known.has(kind));
    if (wanted.length === 0) return;
    const fields = wanted.map((name) => field(name, COLUMNS[name] as FieldType));
    const { metadata } = fitColumns(opened.metadata, fields, 'name', new Map());
    for await (const row of readRows(opened.withMetadata(metadata), wanted)) {
      for (const [i, value] of row.entries()) {
        const action = value === undefined ? undefined : actionOf(wanted[i] as string, plain(value as JsonObject));
        if (action !== undefined) yield action;
      }
    }
  } catch (error) {
    throw new Error(`${uri.path} is damaged: ${(error as Error).message}`, { cause: error });
  } finally {
    await ranges.close();
  }
}

/** Returns an object as JSON.parse does. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...(value as JsonObject)].map(([name, part]) => [name, plain(part)]));
}

function struct(fields: Readonly<Record<string, FieldType>>): FieldType {
  return { kind: 'struct', fields: Object.entries(fields).map(([name, type]) => field(name, type)) };
}

function field(name: string, type: FieldType): TableField {
  return { name, fileNames: [name], type };
}
