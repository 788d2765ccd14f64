import { gunzipSync } from 'node:zlib';
import { type JsonObject, maxValueBytes, readJson, type Value } from 'headrace/engine';
import type { FileUri, Storage } from 'headrace/storage';
import type { TableVersion } from '../data-file.ts';
import type { TableField } from '../table-field.ts';
import { icebergFields, nameMapping } from './iceberg-schema.ts';

/** How rows are divided into files: the columns whose values are those of the partition. */
export interface PartitionSpec {
  readonly isUnpartitioned: boolean;
  /** The ids of columns with the transform identity, by the ids of the fields of partitions. */
  readonly identities: ReadonlyMap<number, number>;
}

/** A state of the table. */
export interface Snapshot {
  readonly id: string;
  /** The file that lists the manifests; undefined if the snapshot lists them itself, as in version 1. */
  readonly manifestList: string | undefined;
  readonly manifests: readonly string[];
  readonly fields: readonly TableField[];
}

/** The metadata of an Iceberg table. (Source: the specification of Iceberg, "Table Metadata".) */
export class IcebergMetadata {
  readonly #content: JsonObject;
  readonly #schemas: readonly JsonObject[];

  constructor(content: JsonObject) {
    this.#content = content;
    const version = content.get('format-version');
    if (!(typeof version === 'number' && version >= 1 && version <= 3)) {
      throw new Error(`it has the format version ${String(version)}, and 3 is supported`);
    }
    const schema = content.get('schema');
    this.#schemas = (content.get('schemas') ?? (schema === undefined ? [] : [schema])) as JsonObject[];
  }

  get location(): string {
    return String(this.#content.get('location'));
  }

  get lastUpdated(): number {
    return Number(this.#content.get('last-updated-ms'));
  }

  get hasNameMapping(): boolean {
    return this.#nameMapping !== undefined;
  }

  /** Returns the snapshot of a version; undefined if the table is empty. */
  snapshot({ version, millis }: TableVersion): Snapshot | undefined {
    const id = version ?? (millis === undefined ? this.#currentId : this.#idAt(millis));
    if (id === undefined) return undefined;
    const found = this.#snapshots.find((one) => String(one.get('snapshot-id')) === id);
    if (found === undefined) throw new Error(`it has no snapshot ${id}${this.#newest}`);
    const isCurrent = version === undefined && millis === undefined;
    const schemaId = isCurrent ? this.#content.get('current-schema-id') : found.get('schema-id');
    return {
      id,
      manifestList: found.get('manifest-list') as string | undefined,
      manifests: (found.get('manifests') ?? []) as string[],
      fields: this.#fields(schemaId ?? this.#content.get('current-schema-id')),
    };
  }

  /** Returns the columns with some ids, also those that the table has dropped. */
  fieldsWith(ids: readonly number[]): TableField[] {
    const all = this.#schemas.toReversed().flatMap((schema) => icebergFields(schema, this.#nameMapping));
    return ids.map((id) => {
      const field = [...this.#fields(this.#content.get('current-schema-id')), ...all].find((one) => one.id === id);
      if (field === undefined) throw new Error(`the column ${id} of deleted rows is not a column of the table`);
      return field;
    });
  }

  spec(id: number): PartitionSpec {
    const specs = this.#content.get('partition-specs') as readonly JsonObject[] | undefined;
    const old = this.#content.get('partition-spec');
    const fields = specs?.find((one) => one.get('spec-id') === id)?.get('fields') ?? (id === 0 ? old : undefined);
    if (!Array.isArray(fields)) throw new Error(`it has no partition spec ${id}`);
    const identities = new Map<number, number>();
    for (const [i, field] of (fields as JsonObject[]).entries()) {
      const source = field.get('source-id');
      if (field.get('transform') === 'identity' && typeof source === 'number') {
        identities.set(Number(field.get('field-id') ?? FIRST_PARTITION_ID + i), source);
      }
    }
    const isUnpartitioned = (fields as JsonObject[]).every((field) => field.get('transform') === 'void');
    return { isUnpartitioned, identities };
  }

  get #snapshots(): readonly JsonObject[] {
    return (this.#content.get('snapshots') ?? []) as JsonObject[];
  }

  get #currentId(): string | undefined {
    const id = this.#content.get('current-snapshot-id');
    // Writers state -1 or null for an empty table.
    return id === undefined || id === null || id === -1 ? undefined : String(id);
  }

  get #newest(): string {
    return this.#currentId === undefined ? '' : `: the newest one is ${this.#currentId}`;
  }

  #idAt(millis: number): string {
    const log = (this.#content.get('snapshot-log') ?? []) as readonly JsonObject[];
    const entry = log.findLast((one) => Number(one.get('timestamp-ms')) <= millis);
    if (entry === undefined) throw new Error(`it has no snapshot that is as old as ${new Date(millis).toISOString()}`);
    return String(entry.get('snapshot-id'));
  }

  #fields(id: Value | undefined): TableField[] {
    const schema = this.#schemas.find((one) => one.get('schema-id') === id) ?? this.#content.get('schema');
    if (!(schema instanceof Map)) throw new Error(`it has no schema ${String(id)}`);
    return icebergFields(schema as JsonObject, this.#nameMapping);
  }

  get #nameMapping() {
    const text = (this.#content.get('properties') as JsonObject | undefined)?.get('schema.name-mapping.default');
    return typeof text === 'string' ? nameMapping(readJson(text) as JsonObject[]) : undefined;
  }
}

/** The first id of a field of partitions, which the first version of the format does not state. */
const FIRST_PARTITION_ID = 1000;

/** Reads a metadata file. It may be compressed. */
export async function readMetadata(storage: Storage, uri: FileUri): Promise<IcebergMetadata> {
  const bytes = await readBytes(storage, uri);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isGzip ? gunzipSync(bytes, { maxOutputLength: maxValueBytes() }) : bytes).toString('utf8');
  const content = readJson(text);
  if (!(content instanceof Map)) throw new Error(`${uri.path} is no metadata of a table`);
  return new IcebergMetadata(content as JsonObject);
}

/** Reads a file of metadata as a whole. */
export async function readBytes(storage: Storage, uri: FileUri): Promise<Buffer> {
  const file = await storage.openRanges(uri);
  try {
    if (file.size > maxValueBytes())
      throw new Error(`${uri.path} has ${file.size} bytes, more than ${maxValueBytes()}`);
    return Buffer.from(file.size === 0 ? new Uint8Array() : await file.read(0, file.size));
  } finally {
    await file.close();
  }
}
