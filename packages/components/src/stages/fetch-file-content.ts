import { type Document, memoryOf, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { MAX_CONTENT_BYTES } from '../storage/read-whole.ts';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages, unreadyStorages } from '../storage/storages.ts';

const parameters = Type.Object({
  /** The field with the path. If it is a list, its first value is used. */
  filePathField: Type.String({ default: 'file_path' }),
  /** The field for the bytes. The previous value is replaced. */
  fileContentField: Type.String({ default: 'file_content' }),
  ...storageParameters,
});

/**
 * Reads the file whose path is in a field, and writes its bytes to another field. In JSON they are base64 text.
 *
 * A path is a local path relative to the working directory, or classpath:x, which is x in the working directory, or a
 * URI: file:///..., and with the block of the provider s3://bucket/key, gs://bucket/name or
 * https://account.blob.core.windows.net/container/name. For web pages, use the stage FetchUri.
 *
 * A document without the field, or with null in it, does not change. A file that cannot be read, a folder, and a file
 * of more than 256 MiB fail the document. Several files are read at a time, as far as there is memory. Documents keep
 * their order.
 */
export class FetchFileContent extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Read a local file; documents without a path do not change',
      params: { filePathField: 'path', fileContentField: 'bytes' },
      documents: [
        { id: '1', path: 'examples/data/inbox/note.txt' },
        { id: '2', title: 'no path' },
      ],
      output: [
        { id: '1', path: 'examples/data/inbox/note.txt', bytes: 'VGhlIGdhdGUgb3BlbnMgYXQgbmluZS4K' },
        { id: '2', title: 'no path' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('fileContentField', params.fileContentField);
    yield* checkStorageSettings(params as StorageSettings);
    yield* unreadyStorages(params as StorageSettings);
  }

  override readonly maxInFlight = 16;
  readonly #storages = new Storages(this.params as StorageSettings);

  override process(document: Document): Promise<void> | undefined {
    const { filePathField } = this.params;
    const path = document.text(filePathField);
    return path === undefined ? undefined : this.#fetch(document, path);
  }

  override stop(): Promise<void> {
    return this.#storages.close();
  }

  async #fetch(document: Document, path: string): Promise<void> {
    const { fileContentField } = this.params;
    document.set(fileContentField, await this.#storages.readContent(path, MAX_CONTENT_BYTES, memoryOf(document)));
  }
}
