import {
  accessHint,
  Connector,
  HeadraceError,
  messageOf,
  type ParameterProblem,
  type Publisher,
  READS,
  type ReportProblem,
  type Static,
  type TouchedFile,
  Type,
  toFailure,
  WRITES,
  withDefaults,
} from '@headrace/engine';
import { checkFileHandlers, FileFormats, FileHandlersParameter } from '../file-formats/handlers/file-handlers.ts';
import { WalkNotes } from '../file-formats/walk-notes.ts';
import { FileBatches } from '../files/file-batches.ts';
import {
  checkFilterSettings,
  FileFilter,
  FilterParameter,
  type FilterSettings,
  isIncremental,
  sendsTombstones,
} from '../files/file-filter.ts';
import { FileMoves, type PublishedFile } from '../files/file-moves.ts';
import type { FileState } from '../files/file-state.ts';
import { FileVisitor } from '../files/file-visitor.ts';
import { FinishedFiles } from '../files/finished-files.ts';
import { IncompleteFiles } from '../files/incomplete-files.ts';
import { omittedFiles } from '../files/omitted-files.ts';
import { sourceError } from '../files/source-error.ts';
import {
  checkStateAccess,
  checkStateSettings,
  defaultStateFile,
  keepsState,
  openState,
  StateParameter,
  stateFile,
} from '../files/state-settings.ts';
import { tombstone } from '../files/tombstone.ts';
import { checkPaths, folderUri, localMoves, localPaths, skippedFolders, walkMeets } from '../files/walk-settings.ts';
import { movedAway } from '../local-files/moved-files.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { extensionOf, type FileUri, leafOf, localFileUri, parseConfigUri } from '../storage/file-uri.ts';
import { isGone } from '../storage/local-storage.ts';
import type { ListOptions } from '../storage/storage.ts';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages, unneededStorages } from '../storage/storages.ts';
import { checkMovesAccess } from './check-moves-access.ts';

const FileOptionsParameter = Type.Object({
  /** Whether documents of files have file_content. Then a file of more than 256 MiB fails. */
  getFileContent: Type.Boolean({ default: true }),
  /** Whether to open .zip and .tar files. */
  handleArchivedFiles: Type.Boolean({ default: false }),
  /** Whether to open compressed files: .gz, .bz2, .xz and .zst. */
  handleCompressedFiles: Type.Boolean({ default: false }),
  /** The maximum depth of nested archives and compressed files: 1 opens none that is inside another one. */
  maxArchiveDepth: Type.Integer({ default: 1, minimum: 1, maximum: 16 }),
  /**
   * A folder of the same storage to which a file is moved when all its documents count as published, as with a
   * state. Needs a single path. A local file keeps its name. No file is overwritten: if the name exists, the file gets another one, such
   * as a.3f9c2e1b.csv. An object in a bucket keeps its whole key, and replaces an existing object.
   */
  moveToAfterProcessing: Type.Optional(Type.String(WRITES)),
  /** A folder to which a file that cannot be read completely is moved, with the same rules. Needs a single path. */
  moveToErrorFolder: Type.Optional(Type.String(WRITES)),
});

/** The values of blocks that the config does not have. */
const WITHOUT_OPTIONS = withDefaults(FileOptionsParameter);
const WITHOUT_FILTER = withDefaults(FilterParameter);
const WITHOUT_STATE = withDefaults(StateParameter);

const parameters = Type.Object({
  /**
   * Where to start, files or folders: local paths, file:///folder, s3://bucket/prefix, gs://bucket/prefix,
   * https://account.blob.core.windows.net/container/prefix. They are read as URIs: a blank is %20, also in a local
   * path. In a bucket, every key that begins with the prefix is read; end it with a slash for a folder.
   */
  paths: Type.Array(Type.String(READS)),
  /** Selects the files to publish. */
  filterOptions: Type.Optional(FilterParameter),
  /** How files are opened, read and moved. */
  fileOptions: Type.Optional(FileOptionsParameter),
  /** Makes the connector remember what it has published. */
  state: Type.Optional(StateParameter),
  /**
   * The handlers that read records from files, by extension in the letter case of the files. csv, json, jsonl and xml
   * need no class; json also handles jsonl, and jsonl handles json. Another extension needs a class: psv { class:
   * CSVFileHandler, separatorChar: "|" }. The page of ApplyFileHandlers lists the parameters of handlers. Each handler
   * may have a docIdPrefix; the docIdPrefix of the connector does not apply to its records.
   */
  fileHandlers: Type.Optional(FileHandlersParameter),
  ...storageParameters,
});

/** How many local files and how many remote files are read concurrently. */
const LOCAL_TOGETHER = 256;
const REMOTE_TOGETHER = 32;

/**
 * Publishes files: of the local disk, of Amazon S3, Google Cloud Storage and Azure Blob Storage. Each file becomes a
 * document. If its extension has a handler, each of its records becomes a document instead: the rows of a CSV file, the
 * objects of a JSON file, elements of an XML file, and with VideoFileHandler of the package @headrace/video the frames of
 * a video. Archives and compressed files can be opened.
 *
 * The document of a file has the fields file_path (its full path, a URI), file_modification_date, file_size_bytes,
 * file_creation_date if the storage has it, and file_content, its bytes. Its id is the docIdPrefix and the MD5 of the
 * full path. Folders are read with all their subfolders; links to files are followed, links to folders are not. The
 * files of the connector's state, and output files that runs of this process are writing, are skipped. A file that
 * cannot be read fails alone and counts as a failed document. Folders that cannot be read are skipped with a warning,
 * and counted in the summary.
 *
 * Objects of S3 in the classes GLACIER and DEEP_ARCHIVE, and blobs of Azure in the archive tier, are skipped, which is
 * a notice. They are read in the first run after they were restored. The path of an object may name one of its versions:
 * s3://bucket/key?versionId=ID, gs://bucket/name?generation=NUMBER or
 * https://account.blob.core.windows.net/container/name?versionid=TIME. A ? in the name of an object is written %3F.
 *
 * With handleArchivedFiles, the files inside .zip and .tar files are published instead of the archive; with
 * handleCompressedFiles, the content of a .gz, .bz2, .xz or .zst file; with both, .tar.gz and .zip.bz2 are opened too. A
 * file with a handler that is compressed although its name does not say so is unpacked; one in another format, such as
 * PDF, fails with the name of the format. The path of an inner
 * file is the path of the outer file, !, and its name there. Suffixes are in lower case. A .tgz is an ordinary file,
 * and so is an archive inside an archive, unless maxArchiveDepth opens it. Content that expands to more than 500 times
 * its size fails. Encrypted entries, and entries with an unknown compression, are skipped with a warning, and counted
 * in the summary. So are links in archives: a tar archive has the content of a hard link only under its first name,
 * unless it was packed with tar --hard-dereference. An archive or a compressed file without a single byte fails.
 *
 * With a block state, the connector remembers what it has published. In the mode incremental it publishes only files
 * that are new or were modified since. Objects in a bucket are also published again if they were modified up to ten
 * seconds before the run that published them, because the clock of the bucket is a different one and counts whole
 * seconds. A file counts as published when all its documents were indexed, or failed and are kept (by the service, or
 * with headrace run --failures FILE): after a run is killed, the next run leaves nothing out. (If the indexer writes a CSV or JSON Lines file, set its append to true. Otherwise the next run
 * overwrites the file.) Tombstones tell the indexer about deleted files: documents that skip all stages, with
 * file_expired: true. Set indexer.deletionMarkerField: file_expired and deletionMarkerFieldValue: "true" to delete the
 * document of the file. To delete the records of a CSV file too, set indexer.deleteByFieldField: file_records_field and
 * deleteByFieldValue: file_path. The field file_records_field of such a tombstone names the field in which records have
 * their path (source unless filePathField names another one), which must be indexed as a keyword. Records of JSON and
 * XML do not have the path. If a folder of `paths` does not exist or is empty, its files do not expire, because its disk
 * may not be mounted.
 */
export class FileConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  readonly #storages = new Storages(this.params as StorageSettings);
  readonly #notes = new WalkNotes();
  readonly #moves = new FileMoves(this.#storages, this.context.log, this.#notes);
  readonly #formats = new FileFormats(this.params.fileHandlers ?? new Map(), {
    log: this.context.log,
    notices: this.context.notices,
  });
  readonly #incomplete = new IncompleteFiles();
  #state: FileState | undefined;
  #finished: FinishedFiles<PublishedFile> | undefined;
  #completed = false;
  /** Why some files are left for the next run. */
  #unread: string | undefined;
  #started = 0n;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const filter = filterOf(params);
    yield* checkStorageSettings(params as StorageSettings);
    yield* unneededStorages(params.paths, params as StorageSettings);
    yield* checkPaths(params.paths, params.fileOptions ?? WITHOUT_OPTIONS, filter, params as StorageSettings);
    yield* checkFilterSettings(filter);
    yield* checkStateSettings(params.state, filter, params.fileHandlers);
    yield* checkFileHandlers(params.fileHandlers ?? new Map());
  }

  static override *touches(
    { paths, fileOptions = WITHOUT_OPTIONS, state }: Static<typeof parameters>,
    name: string,
  ): Generator<TouchedFile> {
    for (const [i, path] of paths.entries()) {
      for (const local of localPaths([path]))
        yield { parameter: ['paths', i], access: 'read', path: local, verb: 'read' };
    }
    yield* movedAway(localPaths(paths), fileOptions, 'fileOptions.');
    if (keepsState(state)) yield* defaultStateFile(state, name);
  }

  static override goesOn(params: Static<typeof parameters>): boolean {
    return keepsState(params.state) && isIncremental(filterOf(params));
  }

  static override marksRead(params: Static<typeof parameters>): boolean {
    return params.fileOptions?.moveToAfterProcessing !== undefined || FileConnector.goesOn(params);
  }

  static override meets(params: Static<typeof parameters>, file: string): boolean {
    return walkMeets(file, params.paths, params.fileOptions ?? WITHOUT_OPTIONS, filterOf(params));
  }

  override async checkAccess(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const storages = new Storages(this.params as StorageSettings, { once: true });
    const look = async (parameter: string, what: string, reaching: () => Promise<void>) => {
      try {
        await reaching();
      } catch (error) {
        const { message, hint = accessHint(error) } = toFailure(error, 'HR_SOURCE_UNREADABLE');
        const said = error instanceof HeadraceError ? message : `Cannot read ${what}: ${message}`;
        report({ parameter, message: said, ...(hint === undefined ? {} : { hint }) });
      }
    };
    const { paths, state } = this.params;
    const looks = paths.map((path, i) => {
      const start = parseConfigUri(path) as FileUri;
      return look(`paths[${i}]`, path, async () => (await storages.of(start)).checkAccess(start, signal));
    });
    if (keepsState(state)) {
      looks.push(look('state.connectionString', 'the state', () => checkStateAccess(state, this.context.log)));
    }
    looks.push(checkMovesAccess(localMoves(this.params.fileOptions ?? WITHOUT_OPTIONS), report, 'fileOptions.'));
    try {
      await Promise.all(looks);
    } finally {
      await storages.close();
    }
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { params, context } = this;
    const target = requirePublisher(publisher, context.name);
    const filter = filterOf(params);
    this.#started = BigInt(Date.now()) * 1_000_000n;
    // A preview does not use the remembered files.
    if (!context.preview && keepsState(params.state)) {
      this.#state = await openState(params.state, context.name, context.log);
      await this.#state.begin();
    }
    this.#finished = new FinishedFiles(target, (files) => this.#finish(files));
    for (const path of params.paths) {
      if (target.signal.aborted) return;
      await this.#walk(parseConfigUri(path) as FileUri, filter, target);
    }
    if (target.signal.aborted) return;
    await this.#state?.finish();
    if (this.#state !== undefined && sendsTombstones(filter)) await this.#publishTombstones(this.#state, target);
    this.#completed = !target.signal.aborted;
  }

  /** Incomplete files fail the connector after the documents of the others have finished. */
  override postExecute(): void {
    this.#incomplete.throwIfAny();
  }

  override async markRead(): Promise<void> {
    this.#unread = await this.#finished?.finish();
    // The unread documents may include tombstones, so expired files must not be forgotten.
    if (this.#unread !== undefined) return;
    if (!this.#completed || this.#state === undefined) return;
    const { performDeletions, runsBeforeExpiration } = this.params.state ?? WITHOUT_STATE;
    if (performDeletions || sendsTombstones(filterOf(this.params))) {
      await this.#state.reportExpired(runsBeforeExpiration, performDeletions);
    }
  }

  override async close(): Promise<void> {
    try {
      await this.#finished?.abandon();
      await this.#state?.close();
    } finally {
      const left = this.#unread === undefined ? [] : [`files are left for the next run: ${this.#unread}`];
      const said = [...this.#notes.texts(), ...left];
      if (said.length > 0) this.message = said.join(', ');
      await this.#storages.close();
    }
  }

  async #walk(start: FileUri, filter: FilterSettings, publisher: Publisher): Promise<void> {
    const { params, context } = this;
    const state = this.#state;
    const { log, notices, docIdPrefix, preview } = context;
    const { getFileContent, handleArchivedFiles, handleCompressedFiles, maxArchiveDepth, moveToErrorFolder } =
      params.fileOptions ?? WITHOUT_OPTIONS;
    const storage = await this.#storages.of(start);
    const errorFolder = preview ? undefined : folderUri(moveToErrorFolder);
    const batches = new FileBatches({
      publisher,
      docIdPrefix,
      together: start.scheme === 'file' ? LOCAL_TOGETHER : REMOTE_TOGETHER,
    });
    const visitor = new FileVisitor({
      publisher,
      batches,
      filter: new FileFilter(filter, this.#started, start.scheme === 'file'),
      formats: this.#formats,
      state,
      docIdPrefix,
      log,
      notices,
      withContent: getFileContent,
      opensArchives: handleArchivedFiles,
      opensCompressed: handleCompressedFiles,
      archiveDepth: maxArchiveDepth,
      onPublished: (path, source) => this.#finished?.add({ path, source }),
      onFailed: async (file) => {
        // A file that was moved away must not expire.
        if (errorFolder !== undefined && (await this.#moves.move(file, errorFolder))) await state?.forget([file.path]);
      },
      onIncomplete: (reason) => this.#incomplete.add(reason),
    });
    const skipped = skippedFolders(params.fileOptions ?? WITHOUT_OPTIONS, filter);
    const unseen: string[] = [];
    const onProblem = (uri: string, error: unknown) => {
      log.warn(`${uri} is skipped: ${messageOf(error)}`);
      notices.report('file.skipped', { file: uri, hint: messageOf(error) });
      // A folder that could not be read may still contain its files.
      unseen.push(uri);
    };
    const ownState = keepsState(params.state) ? stateFile(params.state, context.name) : undefined;
    const options: ListOptions = {
      signal: publisher.signal,
      skips: (folder) => skipped.has(folder),
      omits: await omittedFiles(ownState, onProblem),
      onProblem,
    };
    let isEmpty = true;
    try {
      for await (const file of storage.list(start, options)) {
        if (publisher.signal.aborted) return;
        isEmpty = false;
        await visitor.visit(file, storage);
      }
      if (isEmpty && start.scheme === 'file' && unseen.length === 0) {
        log.warn(`${start.path} is empty: no file is published from it, and its earlier files do not expire`);
        notices.report('folder.empty', { file: start.path });
        // A folder where no disk is mounted is empty too.
        unseen.push(`${localFileUri(start.path)}/`);
      }
    } catch (error) {
      if (!isGone(error) || start.scheme !== 'file') throw sourceError(start, error);
      log.warn(`${start.path} does not exist: no file is published from it`);
      notices.report('path.missing', { file: start.path });
      // The disk may not be mounted, so its files must not expire.
      unseen.push(`${localFileUri(start.path)}/`);
    }
    await batches.flush();
    for (const uri of unseen) await state?.encounterBelow(uri);
  }

  async #publishTombstones(state: FileState, publisher: Publisher): Promise<void> {
    const { runsBeforeExpiration } = this.params.state ?? WITHOUT_STATE;
    for await (const { path } of state.expired(runsBeforeExpiration)) {
      if (publisher.signal.aborted) return;
      const { pathField } = this.#formats.of(extensionOf(leafOf(path))) ?? {};
      await publisher.publish(tombstone(path, this.context.docIdPrefix, pathField));
    }
  }

  /** Moves the files, or records them as published, after all their documents have finished. */
  async #finish(files: readonly PublishedFile[]): Promise<void> {
    const { preview } = this.context;
    const folder = preview ? undefined : folderUri(this.params.fileOptions?.moveToAfterProcessing);
    if (folder === undefined) {
      await this.#state?.published(
        files.map(({ path }) => path),
        this.#started,
      );
      return;
    }
    const moved = await this.#moves.moveAll(files, folder);
    await this.#state?.forget([...moved]);
    const stayed = files.filter(({ path }) => !moved.has(path)).map(({ path }) => path);
    await this.#state?.published(stayed, this.#started);
  }
}

function filterOf(params: Static<typeof parameters>): FilterSettings {
  return params.filterOptions ?? WITHOUT_FILTER;
}
