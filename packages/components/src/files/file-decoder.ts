import {
  Document,
  type ModuleReference,
  type RecordDecoder,
  type RecordSink,
  Shape,
  type Value,
} from '@headrace/engine';

/** The metadata of a file that goes into its document. Plain data. */
export interface FileFacts {
  readonly id: string;
  /** The full path, a URI. */
  readonly path: string;
  /** A time as ISO text. */
  readonly modified: string;
  /** The size of the file in bytes. */
  readonly size: number;
  readonly created: string | undefined;
}

/** The files of a chunk, in order. Plain data. */
export interface FilesPosition {
  readonly files: readonly FileFacts[];
  /** The number of bytes of each file in the chunk; undefined: the documents have no content. */
  readonly lengths: readonly number[] | undefined;
}

const FIELDS = ['id', 'file_path', 'file_modification_date', 'file_size_bytes'];
const PLAIN = Shape.of(FIELDS);
const WITH_CONTENT = Shape.of([...FIELDS, 'file_content']);
const WITH_CREATION = Shape.of([...FIELDS, 'file_creation_date']);
const WITH_BOTH = Shape.of([...FIELDS, 'file_creation_date', 'file_content']);

/** Turns each file of a chunk into a document. The contents are sent to the thread as plain bytes. */
export class FileDecoder implements RecordDecoder {
  static reference(): ModuleReference {
    return { url: import.meta.url, name: 'FileDecoder', options: {} };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { files, lengths } = position as FilesPosition;
    let at = 0;
    for (const [i, { id, path, modified, size, created }] of files.entries()) {
      const values: Value[] = [id, path, modified, size];
      if (created !== undefined) values.push(created);
      if (lengths !== undefined) {
        const end = at + (lengths[i] as number);
        values.push(bytes.subarray(at, end));
        at = end;
      }
      const withoutContent = created === undefined ? PLAIN : WITH_CREATION;
      const withContent = created === undefined ? WITH_CONTENT : WITH_BOTH;
      sink.document(new Document(lengths === undefined ? withoutContent : withContent, values));
    }
  }
}
