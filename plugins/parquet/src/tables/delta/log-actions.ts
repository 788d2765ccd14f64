import { maxValueBytes, parseJson } from 'headrace/engine';
import type { FileUri, Storage } from 'headrace/storage';

/** What a table needs of its readers. */
export interface Protocol {
  readonly minReaderVersion: number;
  readonly readerFeatures: readonly string[];
}

/** The schema and the settings of a table. */
export interface Metadata {
  readonly schemaString: string;
  readonly partitionColumns: readonly string[];
  readonly configuration: ReadonlyMap<string, string>;
}

/** A bitmap of deleted rows. */
export interface VectorPlace {
  readonly storageType: string;
  readonly pathOrInlineDv: string;
  readonly offset: number;
  readonly sizeInBytes: number;
  readonly cardinality: number;
}

/** A file of the table. */
export interface AddedFile {
  /** Relative to the table, or a URI. Escaped. */
  readonly path: string;
  readonly partitionValues: ReadonlyMap<string, string | null>;
  readonly vector: VectorPlace | undefined;
}

/** What a line of a commit, or a row of a checkpoint, states. */
export type Action =
  | { readonly kind: 'add'; readonly file: AddedFile }
  | { readonly kind: 'remove'; readonly key: string }
  | { readonly kind: 'metaData'; readonly metadata: Metadata }
  | { readonly kind: 'protocol'; readonly protocol: Protocol }
  | { readonly kind: 'sidecar'; readonly path: string }
  | { readonly kind: 'commitInfo'; readonly millis: number | undefined };

/** Two entries for a file with different deletion vectors are different files of the table. */
export function keyOf({ path, vector }: Pick<AddedFile, 'path' | 'vector'>): string {
  return vector === undefined ? path : `${path}\0${vector.storageType}${vector.pathOrInlineDv}@${vector.offset}`;
}

/** Reads the actions of a commit, or of a checkpoint in JSON. */
export async function* readActions(storage: Storage, uri: FileUri): AsyncGenerator<Action> {
  for await (const line of linesOf(storage.read(uri))) {
    let action: Action | undefined;
    try {
      const stated = parseJson(line) as Record<string, unknown> | null;
      const [kind, content] = Object.entries(stated ?? {})[0] ?? [];
      action = kind === undefined ? undefined : actionOf(kind, content);
    } catch (error) {
      throw new Error(`${uri.path} is damaged: ${(error as Error).message}`, { cause: error });
    }
    if (action !== undefined) yield action;
  }
}

/** Returns the action that JSON states; undefined if readers need not know it. */
export function actionOf(kind: string, content: unknown): Action | undefined {
  const stated = (content ?? {}) as Record<string, unknown>;
  switch (kind) {
    case 'add':
      return {
        kind,
        file: {
          path: text(stated['path'], 'path'),
          partitionValues: new Map(Object.entries((stated['partitionValues'] ?? {}) as Record<string, string | null>)),
          vector: vectorOf(stated['deletionVector']),
        },
      };
    case 'remove':
      return { kind, key: keyOf({ path: text(stated['path'], 'path'), vector: vectorOf(stated['deletionVector']) }) };
    case 'metaData':
      return {
        kind,
        metadata: {
          schemaString: text(stated['schemaString'], 'schemaString'),
          partitionColumns: (stated['partitionColumns'] ?? []) as string[],
          configuration: new Map(Object.entries((stated['configuration'] ?? {}) as Record<string, string>)),
        },
      };
    case 'protocol':
      return {
        kind,
        protocol: {
          minReaderVersion: Number(stated['minReaderVersion']),
          readerFeatures: (stated['readerFeatures'] ?? []) as string[],
        },
      };
    case 'sidecar':
      return { kind, path: text(stated['path'], 'path') };
    case 'commitInfo': {
      const millis = stated['inCommitTimestamp'] ?? stated['timestamp'];
      return { kind, millis: typeof millis === 'number' ? millis : undefined };
    }
    default:
      return undefined;
  }
}

function vectorOf(stated: unknown): VectorPlace | undefined {
  if (stated === undefined || stated === null) return undefined;
  const { storageType, pathOrInlineDv, offset, sizeInBytes, cardinality } = stated as Record<string, unknown>;
  return {
    storageType: text(storageType, 'storageType'),
    pathOrInlineDv: text(pathOrInlineDv, 'pathOrInlineDv'),
    offset: size(offset ?? 0, 'offset'),
    sizeInBytes: size(sizeInBytes, 'sizeInBytes'),
    cardinality: size(cardinality, 'cardinality'),
  };
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Error(`an action has no ${name}`);
  return value;
}

function size(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error(`an action has no valid ${name}`);
  return value as number;
}

/** Returns the lines of a file that are not empty. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const most = maxValueBytes();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > most) throw new Error(`a line of the log has more than ${most} characters`);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}
