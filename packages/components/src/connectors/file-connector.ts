import {
  Connector,
  HeadraceError,
  messageOf,
  type ParameterProblem,
  type Publisher,
  READS,
  type ReportProblem,
  reachHint,
  type Static,
  type TouchedFile,
  Type,
  toFailure,
  WRITES,
} from '@headrace/engine';
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
import { leftOutFiles } from '../files/left-out-files.ts';
import { sourceError } from '../files/source-error.ts';
import {
  checkStateSettings,
  defaultStateFile,
  keepsState,
  openState,
  reachState,
  StateParameter,
  type StateSettings,
  stateFile,
} from '../files/state-settings.ts';
import { tombstone } from '../files/tombstone.ts';
import { checkPaths, folderUri, localMoves, localPaths, skippedFolders, walkMeets } from '../files/walk-settings.ts';
import { checkFileHandlers, FileFormats, FileHandlersParameter } from '../formats/handlers/file-handlers.ts';
import { WalkNotes } from '../formats/walk-notes.ts';
import { movedAway } from '../local-files/moved-files.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { extensionOf, type FileUri, leafOf, localFileUri, parseConfigUri } from '../storage/file-uri.ts';
import { isGone } from '../storage/local-storage.ts';
import type { ListOptions } from '../storage/storage.ts';
import { checkStorageSettings, type StorageSettings, storageParameters } from '../storage/storage-parameters.ts';
import { Storages, unneededStorages } from '../storage/storages.ts';
import { reachMoves } from './reach-moves.ts';

const parameters = Type.Object({
  paths: Type.Array(Type.String(READS)),
  filterOptions: Type.Optional(FilterParameter),
  fileOptions: Type.Optional(
    Type.Object({
      getFileContent: Type.Optional(Type.Boolean({ default: true })),
      handleArchivedFiles: Type.Optional(Type.Boolean({ default: false })),
      handleCompressedFiles: Type.Optional(Type.Boolean({ default: false })),
      maxArchiveDepth: Type.Optional(Type.Integer({ default: 1, minimum: 1, maximum: 16 })),
      moveToAfterProcessing: Type.Optional(Type.String(WRITES)),
      moveToErrorFolder: Type.Optional(Type.String(WRITES)),
    }),
  ),
  state: Type.Optional(StateParameter),
  fileHandlers: Type.Optional(FileHandlersParameter),
  ...storageParameters,
});

/** How many files are read at a time: of this machine, and over the network. */
const LOCAL_TOGETHER = 256;
const REMOTE_TOGETHER = 32;

/**
 * Publishes files: of the local disk, of Amazon S3, Google Cloud Storage and Azure Blob Storage. Each file becomes a
 * document, or, where its extension has a handler, each of its records does; archives and compressed files can be
 * opened.
 * <p>
 * The document of a file has the fields <code>file_path</code> (its full path, a URI), <code>file_modification_date</code>,
 * <code>file_size_bytes</code>, <code>file_creation_date</code> where the storage knows it, and
 * <code>file_content</code>, its bytes. Its id is the MD5 of the full path behind the docIdPrefix. Folders are walked to
 * their ends; links to files are followed, links to folders are not. Left out are the files of its own state and the
 * output files that runs of this process, this one too, are writing. A file that cannot be read fails by itself, and
 * counts as a failed document; folders that cannot be read are left out with a warning, and counted in the summary.
 * <p>
 * With handleArchivedFiles the files inside of <code>.zip</code> and <code>.tar</code> files are published in their
 * place, with handleCompressedFiles what a <code>.gz</code> file holds, and with both <code>.tar.gz</code> and
 * <code>.zip.gz</code> are opened. The path of something inside is that of the outer file, <code>!</code>, and its name
 * there. Suffixes are in lower case; <code>.tgz</code> is an ordinary file, and so is an archive inside of an archive, unless
 * maxArchiveDepth says that it is opened too. What unfolds to more than 500 times its size fails.
 * Entries that are encrypted, or packed in an unknown way, are left out with a warning, and counted in the summary; so are
 * links in archives: of a hard link a tar archive holds the content under the name that it saw first, unless it was
 * packed with <code>tar --hard-dereference</code>. An archive or a compressed file without a single byte fails.
 * <p>
 * With a block <code>state</code> the connector remembers what it has published. In the mode <code>incremental</code> it
 * publishes only what is new or was modified since; objects in a bucket also when they were modified up to ten seconds before
 * the run that published them, because the clock there is another one, and tells whole seconds. A file counts as published when all its documents have come to their
 * end: a run that is killed leaves nothing out in the next one. (Where the indexer writes a CSV or JSON Lines file, set its
 * <code>append</code> to true: otherwise the next run begins the file anew, without what this one has published.) Files that have vanished can be told to the indexer by
 * tombstones: documents that pass by all stages, with <code>file_expired: true</code>; set
 * <code>indexer.deletionMarkerField: file_expired</code> and <code>deletionMarkerFieldValue: "true"</code> to have them
 * delete the document of the file. The records of a CSV file are deleted too with
 * <code>indexer.deleteByFieldField: file_records_field</code> and <code>deleteByFieldValue: file_path</code>: the tombstone
 * of such a file names in <code>file_records_field</code> the field in which records hold its path, <code>source</code>
 * unless filePathField says otherwise, which must be indexed as a keyword. Records of JSON and XML do not hold the path.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>paths (List&lt;String&gt;, Required) : Where to start, files or folders: local paths, <code>file:///folder</code>, <code>s3://bucket/prefix</code>, <code>gs://bucket/prefix</code>, <code>https://account.blob.core.windows.net/container/prefix</code>. They are read as URIs: a blank is <code>%20</code>, also in a local path. Of a bucket every key that begins with the prefix is taken; end it with a slash for a folder.</li>
 *   <li>filterOptions (Map, Optional) : Which files are published.</li>
 *   <li>filterOptions.includes (List&lt;String&gt;, Optional) : Java regular expressions; only files whose whole name matches one of them are published. Of a local file that is the name without folders, of an object in a bucket its whole key, inside an archive the path there. An archive itself must match, too. Defaults to all.</li>
 *   <li>filterOptions.excludes (List&lt;String&gt;, Optional) : Java regular expressions; files whose whole name matches one of them are not published, whatever includes says.</li>
 *   <li>filterOptions.pathsToSkip (List&lt;String&gt;, Optional) : Folders that are not looked into: local paths or URIs.</li>
 *   <li>filterOptions.lastModifiedCutoff (String, Optional) : A duration such as "2h"; only files modified within it are published.</li>
 *   <li>filterOptions.lastPublishedCutoff (String, Optional) : A duration; in the mode incremental files published within it are not published again.</li>
 *   <li>filterOptions.publishMode (String, Optional) : "full" publishes all files, "incremental" those that are new or were modified since they were published; it needs state. Defaults to full.</li>
 *   <li>filterOptions.sendTombstones (String, Optional) : Whether to publish tombstones of files that have vanished, "true" or "false"; needs the mode incremental. Defaults to false.</li>
 *   <li>fileOptions (Map, Optional) : What is done with files.</li>
 *   <li>fileOptions.getFileContent (Boolean, Optional) : Whether documents of files have file_content. A file of more than 256 MiB fails then. Defaults to true.</li>
 *   <li>fileOptions.handleArchivedFiles (Boolean, Optional) : Whether to open .zip and .tar files. Defaults to false.</li>
 *   <li>fileOptions.handleCompressedFiles (Boolean, Optional) : Whether to open .gz files. Defaults to false.</li>
 *   <li>fileOptions.maxArchiveDepth (Integer, Optional) : How deep archives and compressed files are opened: with 2 also those inside of an archive, with 3 those in them. Defaults to 1.</li>
 *   <li>fileOptions.moveToAfterProcessing (String, Optional) : A folder of the same storage to which a file is moved when all its documents have come to their end. Of a local file the name goes there; no file is overwritten: where the name is taken, it gets one of its own, such as <code>a.3f9c2e1b.csv</code>. Of an object in a bucket the whole key goes there, and replaces what had it before. Needs a single path.</li>
 *   <li>fileOptions.moveToErrorFolder (String, Optional) : A folder to which a file is moved that cannot be read to its end, in the same way. Needs a single path.</li>
 *   <li>state (Map, Optional) : Makes the connector remember what it has published.</li>
 *   <li>state.enabled (Boolean, Optional) : Whether to remember. Defaults to true.</li>
 *   <li>state.driver (String, Optional) : The JDBC driver of the database; the connection string says it all. Defaults to org.h2.Driver.</li>
 *   <li>state.connectionString (String, Optional) : Where the state is kept: <code>jdbc:sqlite:file</code>, <code>jdbc:h2:path</code>, for which the SQLite file <code>path.sqlite</code> is used, <code>jdbc:postgresql://host:port/database</code>, <code>jdbc:mysql:…</code> or <code>jdbc:mariadb:…</code>. One run at a time has it open. Defaults to <code>jdbc:h2:./state/</code> and the name of the connector.</li>
 *   <li>state.jdbcUser (String, Optional) : The user of the database; not needed for a file. Without user and password those in the connection string count. Defaults to none.</li>
 *   <li>state.jdbcPassword (String, Optional) : The user's password. Defaults to none.</li>
 *   <li>state.tableName (String, Optional) : The name of the table, in upper case. Defaults to the name of the connector.</li>
 *   <li>state.performDeletions (Boolean, Optional) : Whether files that have expired are forgotten; otherwise they are kept, and not told of again. Defaults to true.</li>
 *   <li>state.runsBeforeExpiration (Integer, Optional) : In how many runs in a row a file must be missing to be expired. Defaults to 1.</li>
 *   <li>state.pathLength (Integer, Optional) : Accepted, and not needed: a path may have 2,600 bytes in a server, and any length in SQLite. Defaults to 200.</li>
 *   <li>fileHandlers (Map&lt;String, Map&lt;String, Object&gt;&gt;, Optional) : By extension, in the letter case that files have, how their records are read. csv, json, jsonl and xml need no class; json serves jsonl too, and the other way round. Another extension names one: <code>psv { class: CSVFileHandler, separatorChar: "|" }</code>. The page of ApplyFileHandlers lists their parameters; each may have a docIdPrefix, that of the connector is not for them.</li>
 *   <li>s3 (Map, Optional) : Makes s3: paths readable. Without keys in it the credentials of the environment or the machine are taken.</li>
 *   <li>s3.accessKeyId (String, Optional) : The id of the access key; needs secretAccessKey.</li>
 *   <li>s3.secretAccessKey (String, Optional) : The secret of the access key.</li>
 *   <li>s3.region (String, Optional) : The region of the buckets. Defaults to that of the environment.</li>
 *   <li>s3.endpoint (String, Optional) : The URL of another server that speaks the protocol of S3.</li>
 *   <li>s3.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. Defaults to what the provider gives.</li>
 *   <li>s3.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>s3.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>s3.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>s3.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>s3.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>s3.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>azure (Map, Optional) : Makes https: paths of Azure Blob Storage readable. Without credentials in it, those in AZURE_STORAGE_CONNECTION_STRING are taken.</li>
 *   <li>azure.connectionString (String, Optional) : The connection string of the account, which may name an endpoint of its own.</li>
 *   <li>azure.accountName (String, Optional) : The name of the account; needs accountKey.</li>
 *   <li>azure.accountKey (String, Optional) : The key of the account.</li>
 *   <li>azure.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. Defaults to what the provider gives.</li>
 *   <li>azure.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>azure.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>azure.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>azure.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>azure.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>azure.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>gcp (Map, Optional) : Makes gs: paths readable.</li>
 *   <li>gcp.pathToServiceKey (String, Required) : The file with the key of a service account; empty for the credentials of the machine.</li>
 *   <li>gcp.endpoint (String, Optional) : The URL of another server that speaks the protocol of Google Cloud Storage.</li>
 *   <li>gcp.maxNumOfPages (Integer, Optional) : How many files a request for a listing asks for. Defaults to what the provider gives.</li>
 *   <li>gcp.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>gcp.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>gcp.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>gcp.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>gcp.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>gcp.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 * </ul>
 */
export class FileConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  readonly #storages = new Storages(this.params as StorageSettings);
  readonly #notes = new WalkNotes();
  readonly #moves = new FileMoves(this.#storages, this.context.log, this.#notes);
  readonly #formats = new FileFormats(this.params.fileHandlers ?? new Map(), {
    log: this.context.log,
    note: (...noted) => this.#notes.add(...noted),
  });
  readonly #incomplete = new IncompleteFiles();
  #state: FileState | undefined;
  #finished: FinishedFiles<PublishedFile> | undefined;
  #completed = false;
  #delivered = true;
  #started = 0n;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const filter = filterOf(params);
    yield* checkStorageSettings(params as StorageSettings);
    yield* unneededStorages(params.paths, params as StorageSettings);
    yield* checkPaths(params.paths, params.fileOptions ?? {}, filter, params as StorageSettings);
    yield* checkFilterSettings(filter);
    yield* checkStateSettings(params.state, filter, params.fileHandlers);
    yield* checkFileHandlers(params.fileHandlers ?? new Map());
  }

  static override *touches(
    { paths, fileOptions = {}, state }: Static<typeof parameters>,
    name: string,
  ): Generator<TouchedFile> {
    for (const [i, path] of paths.entries()) {
      for (const local of localPaths([path]))
        yield { parameter: ['paths', i], access: 'read', path: local, verb: 'read' };
    }
    yield* movedAway(localPaths(paths), fileOptions, 'fileOptions.');
    if (keepsState(state)) yield* defaultStateFile(state, name);
  }

  static override goesOn({ state, filterOptions }: Static<typeof parameters>): boolean {
    return keepsState(state) && isIncremental(filterOptions ?? {});
  }

  static override meets(params: Static<typeof parameters>, file: string): boolean {
    return walkMeets(file, params.paths, params.fileOptions ?? {}, filterOf(params));
  }

  override async reach(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const storages = new Storages(this.params as StorageSettings, { once: true });
    const look = async (parameter: string, what: string, reaching: () => Promise<void>) => {
      try {
        await reaching();
      } catch (error) {
        const { message, hint = reachHint(error) } = toFailure(error, 'HR_SOURCE_UNREADABLE');
        const said = error instanceof HeadraceError ? message : `Cannot read ${what}: ${message}`;
        report({ parameter, message: said, ...(hint === undefined ? {} : { hint }) });
      }
    };
    const { paths, state } = this.params;
    const looks = paths.map((path, i) => {
      const start = parseConfigUri(path) as FileUri;
      return look(`paths[${i}]`, path, async () => (await storages.of(start)).reach(start, signal));
    });
    if (keepsState(state)) {
      looks.push(look('state.connectionString', 'the state', () => reachState(state, this.context.log)));
    }
    looks.push(reachMoves(localMoves(this.params.fileOptions ?? {}), report, 'fileOptions.'));
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
    // A preview neither reads nor writes what is remembered.
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

  /** All documents are finished: what was published may be forgotten by its source. Only then, broken files count. */
  override async postExecute(): Promise<void> {
    await this.#settle();
    this.#incomplete.throwIfAny();
  }

  async #settle(): Promise<void> {
    this.#delivered = (await this.#finished?.finish()) !== false;
    // Nor have all tombstones arrived.
    if (!this.#delivered) return;
    if (!this.#completed || this.#state === undefined) return;
    const { state = {}, filterOptions } = this.params;
    const { performDeletions = true, runsBeforeExpiration = 1 } = state as StateSettings;
    if (performDeletions || sendsTombstones((filterOptions ?? {}) as FilterSettings)) {
      await this.#state.told(runsBeforeExpiration, performDeletions);
    }
  }

  override async close(): Promise<void> {
    try {
      await this.#finished?.giveUp();
      await this.#state?.close();
    } finally {
      const undelivered = 'files whose documents could not be delivered are left for the next run';
      const said = [...this.#notes.texts(), ...(this.#delivered ? [] : [undelivered])];
      if (said.length > 0) this.message = said.join(', ');
      await this.#storages.close();
    }
  }

  async #walk(start: FileUri, filter: FilterSettings, publisher: Publisher): Promise<void> {
    const { params, context } = this;
    const state = this.#state;
    const notes = this.#notes;
    const { log, docIdPrefix, preview } = context;
    const { getFileContent, handleArchivedFiles, handleCompressedFiles, maxArchiveDepth, moveToErrorFolder } =
      params.fileOptions ?? {};
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
      withContent: getFileContent !== false,
      opensArchives: handleArchivedFiles === true,
      opensCompressed: handleCompressedFiles === true,
      archiveDepth: maxArchiveDepth ?? 1,
      onPublished: (path, source) => this.#finished?.add({ path, source }),
      onFailed: async (file) => {
        // What was moved away has not vanished.
        if (errorFolder !== undefined && (await this.#moves.move(file, errorFolder))) await state?.forget([file.path]);
      },
      onIncomplete: (reason) => this.#incomplete.add(reason),
      onLeftOut: (reason) => notes.add('entries of archives that were left out', reason),
    });
    const skipped = skippedFolders(params.fileOptions ?? {}, filter);
    const unseen: string[] = [];
    const onProblem = (uri: string, error: unknown) => {
      const reason = `${uri} is left out: ${messageOf(error)}`;
      log.warn(reason);
      notes.add('files and folders that were left out', reason);
      // What could not be looked at has not vanished.
      unseen.push(uri);
    };
    const ownState = keepsState(params.state) ? stateFile(params.state, context.name) : undefined;
    const options: ListOptions = {
      signal: publisher.signal,
      skips: (folder) => skipped.has(folder),
      leavesOut: await leftOutFiles(ownState, onProblem),
      onProblem,
    };
    try {
      for await (const file of storage.list(start, options)) {
        if (publisher.signal.aborted) return;
        await visitor.visit(file, storage);
      }
    } catch (error) {
      if (!isGone(error) || start.scheme !== 'file') throw sourceError(start, error);
      const reason = `${start.path} does not exist: nothing is published from there`;
      log.warn(reason);
      notes.add('paths that do not exist', reason);
      // A disk that is not mounted is no reason to delete what was on it.
      unseen.push(`${localFileUri(start.path)}/`);
    }
    await batches.flush();
    for (const uri of unseen) await state?.encounterBelow(uri);
  }

  async #publishTombstones(state: FileState, publisher: Publisher): Promise<void> {
    const { runsBeforeExpiration = 1 } = this.params.state ?? {};
    for await (const { path } of state.expired(runsBeforeExpiration)) {
      if (publisher.signal.aborted) return;
      const { pathField } = this.#formats.of(extensionOf(leafOf(path))) ?? {};
      await publisher.publish(tombstone(path, this.context.docIdPrefix, pathField));
    }
  }

  /** All documents of these files have come to their end. */
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
  return (params.filterOptions ?? {}) as FilterSettings;
}
