import {
  type Children,
  type Document,
  HeadraceError,
  memoryOf,
  type ParameterProblem,
  type RejectedRecord,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { decodeBase64 } from '@headrace/java-text/text';
import type { ByteSource } from '../formats/byte-source.ts';
import { CsvFormat } from '../formats/csv/csv-format.ts';
import type { FileFormat } from '../formats/handlers/file-handler.ts';
import { checkFileHandlers, FileFormats, FileHandlersParameter } from '../formats/handlers/file-handlers.ts';
import { HeldRecords } from '../formats/handlers/held-records.ts';
import { publishFile } from '../formats/publishing.ts';
import { extensionOf, leafOf, parseFileUri } from '../storage/file-uri.ts';
import { MAX_CONTENT_BYTES } from '../storage/read-whole.ts';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { CLASSPATH, Storages, unreadyStorages } from '../storage/storages.ts';

const parameters = Type.Object({
  /** The handlers that read the files, by extension. */
  fileHandlers: FileHandlersParameter,
  /** The field with the path. If it is a list, its first value is used. */
  filePathField: Type.String({ default: 'file_path' }),
  /** The field that may hold the content of the file. */
  fileContentField: Type.String({ default: 'file_content' }),
  ...storageParameters,
});

/**
 * Reads the file that a document names or contains. It emits a document for each record: the rows of a CSV file, the
 * objects of a JSON file, elements of an XML file. These documents pass through the later stages before the document
 * itself, which does not change. To keep only the records, drop it after this stage.
 *
 * The extension of the path, the text after its last dot, selects the handler; letter case does not matter. A document
 * without a path, or with an extension that has no handler, does not change. If the document has the field
 * fileContentField, its bytes are read, or the bytes that its base64 text encodes. Otherwise the file at the path is
 * read: a local file, classpath:x (x in the working directory), or, with the block of the provider, a URI s3://, gs://
 * or https://account.blob.core.windows.net/. A file of more than 256 MiB fails the document; FileConnector reads files
 * of any size.
 *
 * Handlers are a map by extension. csv, json, jsonl and xml need no class; json also handles jsonl, and jsonl handles
 * json. Another extension names one of them: psv { class: CSVFileHandler, separatorChar: "|" }. All accept docIdPrefix.
 * CSV accepts the parameters of CSVConnector and idFields, several columns that form the id together. JSON accepts
 * idField, idFields, docIdFormat, whitelist and blacklist (the fields to keep, and to omit), encoding and
 * onInvalidBytes as in CSVConnector. XML accepts xmlRootPath, xmlIdPath or xpathIdPath, encoding, onInvalidBytes,
 * outputField and skipEmptyId. VideoFileHandler publishes the frames of videos; it is in the package @headrace/video,
 * whose page lists its parameters.
 *
 * An invalid row of CSV is skipped with a warning. An object that cannot be read or has no id, and a file that
 * cannot be read, fail the document.
 */
export class ApplyFileHandlers extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Emit the rows of a CSV file that the document holds, as base64 text',
      params: { fileHandlers: { csv: { idField: 'sku', docIdPrefix: 'p-' } } },
      documents: [{ id: '1', file_path: 'prices.csv', file_content: 'c2t1LHByaWNlCkEsMTAKQiwyMAo=' }],
      output: [
        { id: 'p-A', source: 'prices.csv', filename: 'prices.csv', sku: 'A', price: '10', csvLineNumber: 1 },
        { id: 'p-B', source: 'prices.csv', filename: 'prices.csv', sku: 'B', price: '20', csvLineNumber: 2 },
        { id: '1', file_path: 'prices.csv', file_content: 'c2t1LHByaWNlCkEsMTAKQiwyMAo=' },
      ],
    },
    {
      description: 'JSON Lines: each object has its id',
      params: { fileHandlers: { json: { blacklist: ['secret'] } } },
      documents: [{ id: '1', file_path: 'x.jsonl', file_content: 'eyJpZCI6ImEiLCJ2IjoxLCJzZWNyZXQiOjJ9Cg==' }],
      output: [
        { id: 'a', v: 1 },
        { id: '1', file_path: 'x.jsonl', file_content: 'eyJpZCI6ImEiLCJ2IjoxLCJzZWNyZXQiOjJ9Cg==' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fileHandlers.size === 0) {
      yield {
        parameter: 'fileHandlers',
        message: 'fileHandlers must have at least one handler',
        hint: 'For example fileHandlers { csv {} }.',
      };
    }
    yield* checkFileHandlers(params.fileHandlers);
    yield* checkStorageSettings(params as StorageSettings);
    yield* unreadyStorages(params as StorageSettings);
  }

  override readonly maxInFlight = 4;
  readonly #formats: FileFormats;
  readonly #storages: Storages;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#formats = new FileFormats(params.fileHandlers, { log: context.log, notices: context.notices });
    this.#storages = new Storages(params as StorageSettings);
  }

  override process(document: Document): Promise<Children> | undefined {
    const { filePathField } = this.params;
    const path = document.text(filePathField);
    if (path === undefined) return undefined;
    const extension = extensionOf(leafOf(path));
    const format = this.#formats.of(extension) ?? this.#formats.of(extension?.toLowerCase());
    return format === undefined ? undefined : this.#read(document, path, format);
  }

  override stop(): Promise<void> {
    return this.#storages.close();
  }

  async #read(document: Document, path: string, format: FileFormat): Promise<Children> {
    const records = new HeldRecords();
    const local = this.#localPathOf(document, path);
    const file = { path, name: leafOf(path), bytes: this.#bytesOf(document, path), local };
    await publishFile(format, file, records);
    await records.close();
    return records.documents({
      // An invalid CSV row affects only itself, so it is skipped. An unreadable object may hide others: it fails the
      // document.
      reject: (record) => this.#reject(record, format instanceof CsvFormat),
      warn: (message) => this.context.log.warn(message),
      notices: this.context.notices,
    });
  }

  /** Returns the path of the file on the local disk, unless the document holds the content. */
  #localPathOf(document: Document, path: string): string | undefined {
    if (document.has(this.params.fileContentField)) return undefined;
    const uri = parseFileUri(path.replace(CLASSPATH, './'));
    return uri.scheme === 'file' ? uri.path : undefined;
  }

  async *#bytesOf(document: Document, path: string): ByteSource {
    const { fileContentField } = this.params;
    if (!document.has(fileContentField)) {
      yield await this.#storages.readContent(path, MAX_CONTENT_BYTES, memoryOf(document));
      return;
    }
    const content = document.first(fileContentField);
    const bytes = typeof content === 'string' ? decodeBase64(content) : content;
    if (!(bytes instanceof Uint8Array)) {
      throw new HeadraceError('HR_STAGE_FAILED', `Field "${fileContentField}" holds neither bytes nor base64 text`, {
        hint: 'Remove the field to read the file at its path.',
      });
    }
    yield bytes;
  }

  #reject({ place, message }: RejectedRecord, isRow: boolean): void {
    if (!isRow) throw new HeadraceError('HR_RECORD_UNREADABLE', `${place}: ${message}`);
    this.context.notices.report('record.skipped', { file: place, hint: message });
  }
}
