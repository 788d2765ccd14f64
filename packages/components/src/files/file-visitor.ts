import {
  HeadraceError,
  type Logger,
  messageOf,
  type Notices,
  type Publisher,
  type RejectedRecord,
  toFailure,
} from '@headrace/engine';
import {
  type ArchiveEntry,
  type CompressedName,
  compressionOf,
  TruncatedError,
  tarEntries,
  UnpackBudget,
  unpacked,
  withLocalCopy,
  zipEntries,
} from '@headrace/formats/archives';
import type { ByteSource } from '../file-formats/byte-source.ts';
import type { FileFormat } from '../file-formats/handlers/file-handler.ts';
import type { FileFormats } from '../file-formats/handlers/file-handlers.ts';
import { PublishingFailed, publishFile, publishing, watched } from '../file-formats/publishing.ts';
import { ArchivedFileError, archivedHint } from '../storage/archived-file-error.ts';
import { extensionOf, leafOf } from '../storage/file-uri.ts';
import { isGone } from '../storage/local-storage.ts';
import { collectBytes, LocalFileReader, maxContentBytes } from '../storage/read-whole.ts';
import type { Storage, StoredFile } from '../storage/storage.ts';
import { type FileBatches, idOfPath, type PlainFile, type WhatBecame } from './file-batches.ts';
import type { FileFilter } from './file-filter.ts';
import type { FileState } from './file-state.ts';
import { localZipEntries } from './local-zip.ts';

export interface FileVisitorOptions {
  readonly publisher: Publisher;
  readonly batches: FileBatches;
  readonly filter: FileFilter;
  readonly formats: FileFormats;
  readonly state: FileState | undefined;
  readonly docIdPrefix: string;
  readonly log: Logger;
  readonly notices: Notices;
  readonly withContent: boolean;
  readonly opensArchives: boolean;
  readonly opensCompressed: boolean;
  /** The maximum nesting depth: 1 does not open an archive inside another archive. */
  readonly archiveDepth: number;
  /** Called when all of a file was passed to the publisher. `source` is undefined for a file inside an archive. */
  readonly onPublished: (path: string, source: StoredFile | undefined) => void;
  /** Called if a file could not be published completely. */
  readonly onFailed: (file: StoredFile) => Promise<void>;
  /** Called if a file was read only in part: the first part is published, the rest is not. */
  readonly onIncomplete: (reason: string) => void;
}

/** A part of a file could not be read, and this has already been reported. */
class PartlyRead extends Error {}

/** A file to publish: a file in a storage, or a file inside another file. */
interface Readable extends PlainFile {
  /** The file name without folders. */
  readonly leaf: string;
  /** The local path, if the file is a local file outside any container. */
  readonly local: string | undefined;
  /** Limits what the file may unpack to, if it is inside a container. */
  readonly budget?: UnpackBudget;
  open(): ByteSource;
  readWhole(): Promise<Uint8Array>;
}

/** An archive or a compressed file. */
interface Container extends Readable {
  /** The nesting depth: 1 for a file in a storage, 2 for a file inside it, and so on. */
  readonly depth: number;
  /** Limits how many bytes the outermost container may unpack to. */
  readonly budget: UnpackBudget;
}

/**
 * Publishes the contents of files: as single documents, record by record if the extension has a handler, and the
 * contents of archives and compressed files. A file that cannot be read fails alone; only publishing errors are thrown.
 */
export class FileVisitor {
  readonly #options: FileVisitorOptions;
  readonly #publisher: Publisher;
  readonly #localFiles = new LocalFileReader();

  constructor(options: FileVisitorOptions) {
    this.#options = options;
    this.#publisher = watched(options.publisher);
  }

  async visit(file: StoredFile, storage: Storage): Promise<void> {
    const { state, filter } = this.#options;
    const lastPublished = await state?.encounter(file.path);
    if (!filter.accepts({ name: file.name, modified: file.modified, lastPublished })) {
      // The files inside a container that is filtered out also count as found.
      if (this.#isContainer(file.path)) await state?.encounterBelow(`${file.path}!`);
      return;
    }
    if (file.archive !== undefined) {
      // It has not vanished, nor have the files inside it. It is not read, so that a later run reads it.
      if (this.#isContainer(file.path)) await state?.encounterBelow(`${file.path}!`);
      this.#options.notices.report('file.archived', { file: file.path, hint: archivedHint(file.archive) });
      return;
    }
    const became = (error?: unknown) => this.#settle(file, error);
    const readable: Readable = {
      ...file,
      leaf: leafOf(file.name),
      local: localPathOf(file),
      open: () =>
        file.uri.scheme === 'file'
          ? this.#localFiles.pieces(file.uri.path, file.size, () => storage.read(file.uri))
          : storage.read(file.uri),
      readWhole: () =>
        file.uri.scheme === 'file'
          ? this.#localFiles.read(file.uri.path, file.size, maxContentBytes())
          : collectBytes(storage.read(file.uri), maxContentBytes(), file.path),
    };
    try {
      if (!this.#isContainer(file.path)) {
        await this.#publish(readable, became);
        return;
      }
      const budget = new UnpackBudget(file.size);
      await this.#visitContainer({ ...readable, depth: 1, budget }, became);
    } catch (error) {
      if (error instanceof PublishingFailed) throw error;
      // A container that could not be read has not vanished, nor have the files inside it.
      if (this.#isContainer(file.path)) await state?.encounterBelow(`${file.path}!`);
      await became(error);
    }
  }

  #isContainer(path: string): boolean {
    const { opensArchives, opensCompressed } = this.#options;
    return compressionOf(path) === undefined ? opensArchives && isArchive(path) : opensCompressed;
  }

  #visitContainer(file: Container, became: WhatBecame): Promise<void> {
    const packed = compressionOf(file.leaf);
    return packed === undefined ? this.#visitArchive(file, became) : this.#visitCompressed(file, packed, became);
  }

  async #visitCompressed(
    file: Container,
    { compression, inner: leaf }: CompressedName,
    became: WhatBecame,
  ): Promise<void> {
    const open = () => file.budget.spentBy(unpacked(compression, file.open(), () => this.#warnOfRest(file.path)));
    if (this.#options.opensArchives && isArchive(leaf)) {
      await this.#visitArchive({ ...file, leaf, open, local: undefined }, became);
      return;
    }
    const path = `${file.path}!${leaf}`;
    await publishing((async () => this.#options.state?.encounter(path))());
    const collect = () => collectBytes(open(), maxContentBytes(), path);
    // The entry of an archive must be read before the archive moves to the next entry.
    const content = file.depth > 1 && this.#needsContent(leaf) ? await collect() : undefined;
    const readWhole = async () => content ?? collect();
    await this.#publish({ ...file, path, leaf, local: undefined, open, readWhole }, async (error) => {
      await this.#settleInner(path, error);
      await became(error === undefined ? undefined : new PartlyRead());
    });
  }

  #warnOfRest(path: string): void {
    this.#options.notices.report('gzip.trailingBytes', { file: path });
    this.#options.log.warn(
      `${path}: the bytes after the compressed data are ignored, as gzip does. The file may be damaged`,
    );
  }

  #warnOfMissingEnd(path: string): void {
    this.#options.notices.report('archive.noEnd', { file: path });
    this.#options.log.warn(`${path} has no end-of-archive marker: it may be truncated`);
  }

  /** Publishes the entries of an archive. The extension of the file selects the archive format. */
  async #visitArchive(file: Container, became: WhatBecame): Promise<void> {
    const entries = file.leaf.endsWith('.tar')
      ? tarEntries(file.open(), () => this.#warnOfMissingEnd(file.path))
      : file.local !== undefined
        ? localZipEntries(file.local)
        : withLocalCopy(file.open(), zipEntries);
    let failed = false;
    try {
      for await (const entry of entries) {
        if (this.#publisher.signal.aborted) return;
        await this.#visitEntry(entry, file, () => {
          failed = true;
        });
      }
    } catch (error) {
      // An unknown number of entries is missing.
      throw error instanceof TruncatedError ? incomplete(error, 'archive') : error;
    }
    // An archive is finished when its last entry is.
    await publishing(this.#options.batches.flush());
    await became(failed ? new PartlyRead() : undefined);
  }

  async #visitEntry(entry: ArchiveEntry, outer: Container, onFailed: () => void): Promise<void> {
    const { state, filter, log, notices, archiveDepth } = this.#options;
    const { name, modified, size, unreadable } = entry;
    const path = `${outer.path}!${name}`;
    const isOpened = outer.depth < archiveDepth && this.#isContainer(name);
    const lastPublished = await publishing((async () => state?.encounter(path))());
    if (!filter.accepts({ name, modified, lastPublished })) {
      if (isOpened) await publishing((async () => state?.encounterBelow(`${path}!`))());
      return;
    }
    if (unreadable !== undefined) {
      log.warn(`${path} is skipped: ${unreadable}`);
      notices.report('file.skipped', { file: path, hint: unreadable });
      return;
    }
    const became = async (error?: unknown) => {
      if (error !== undefined) onFailed();
      await this.#settleInner(path, error);
    };
    try {
      const bytes = isOpened || outer.depth > 1 ? outer.budget.spentBy(entry.bytes) : entry.bytes;
      const isRead = !isOpened && this.#needsContent(name);
      const content = isRead ? await collectBytes(bytes, maxContentBytes(), path) : undefined;
      const file: Readable = {
        path,
        size,
        modified,
        created: undefined,
        leaf: leafOf(name),
        local: undefined,
        open: () => bytes,
        readWhole: async () => content as Buffer,
        budget: outer.budget,
      };
      if (isOpened) await this.#visitContainer({ ...file, depth: outer.depth + 1, budget: outer.budget }, became);
      else await this.#publish(file, became);
    } catch (error) {
      if (error instanceof PublishingFailed) throw error;
      if (isOpened) await publishing((async () => state?.encounterBelow(`${path}!`))());
      await became(error);
    }
  }

  /**
   * Returns whether the document of a file contains its content. Such archive entries must be read before the next
   * entry.
   */
  #needsContent(name: string): boolean {
    return this.#options.withContent && this.#options.formats.of(extensionOf(leafOf(name))) === undefined;
  }

  /** Publishes the records of a file, or the file as one document, and then calls `became`. */
  async #publish(file: Readable, became: WhatBecame): Promise<void> {
    const { batches, formats, withContent } = this.#options;
    const format = formats.of(extensionOf(file.leaf));
    if (format === undefined) {
      await publishing(batches.add(file, withContent ? () => file.readWhole() : undefined, became));
      return;
    }
    await publishing(batches.flush());
    await this.#publishRecords(format, file);
    // If the run is stopping, the file is incomplete: it is neither finished nor failed.
    if (!this.#publisher.signal.aborted) await became();
  }

  /**
   * Publishes the records of a file. Throws `HR_SOURCE_INCOMPLETE` if reading fails after some records were published, or
   * because the file was cut off: then an unknown number of records is missing.
   */
  async #publishRecords(format: FileFormat, { path, leaf, local, open, budget }: Readable): Promise<void> {
    let begun = false;
    const publisher: Publisher = {
      ...this.#publisher,
      publishChunk: (chunk) => {
        begun = true;
        return this.#publisher.publishChunk(chunk);
      },
    };
    try {
      await publishFile(format, { path, name: leaf, bytes: open(), local, budget }, publisher);
    } catch (error) {
      if (error instanceof PublishingFailed || isIncomplete(error)) throw error;
      throw begun || error instanceof TruncatedError ? incomplete(error, 'file') : error;
    }
  }

  async #settle(file: StoredFile, error: unknown): Promise<void> {
    if (error === undefined) {
      this.#options.onPublished(file.path, file);
      return;
    }
    if (this.#publisher.signal.aborted) return;
    if (isGone(error)) {
      this.#options.log.info(`${file.path} vanished before it was read`);
      return;
    }
    if (error instanceof ArchivedFileError) {
      this.#options.notices.report('file.archived', { file: file.path, hint: `${error.message}. ${error.hint}` });
      return;
    }
    if (!(error instanceof PartlyRead)) await this.#fail(file.path, error);
    await this.#options.onFailed(file);
  }

  async #settleInner(path: string, error: unknown): Promise<void> {
    if (error === undefined) this.#options.onPublished(path, undefined);
    else if (!this.#publisher.signal.aborted && !(error instanceof PartlyRead)) await this.#fail(path, error);
  }

  async #fail(path: string, error: unknown): Promise<void> {
    const { docIdPrefix, formats, log, onIncomplete, publisher } = this.#options;
    if (isIncomplete(error)) {
      // One failed document cannot show how much is missing: the connector fails after it has read the other files.
      const { place, message } = rejected(path, error, undefined);
      log.error(`${place}: ${message}`);
      onIncomplete(`${place}: ${message}`);
      return;
    }
    const isPlain = formats.of(extensionOf(leafOf(path))) === undefined;
    const record = rejected(path, error, isPlain ? idOfPath(path, docIdPrefix) : undefined);
    await publishing((async () => publisher.reject(record))());
  }
}

/** Turns an error into a rejected record. The text of the error may already begin with the path and line. */
function rejected(path: string, error: unknown, id: string | undefined): RejectedRecord {
  const hint = error instanceof HeadraceError && error.hint !== undefined ? `. ${error.hint}` : '';
  const text = messageOf(error) + hint;
  const [, line = '', message = text] = text.startsWith(path)
    ? (/^((?::\d+){0,2}): (.*)$/s.exec(text.slice(path.length)) ?? [])
    : [];
  return { place: path + line, message, ...(id === undefined ? {} : { id }) };
}

function incomplete(error: unknown, what: string): HeadraceError {
  const { message, hint } = toFailure(error, 'HR_SOURCE_UNREADABLE');
  return new HeadraceError('HR_SOURCE_INCOMPLETE', `${message}: the rest of the ${what} was not read`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

function isIncomplete(error: unknown): boolean {
  return error instanceof HeadraceError && error.code === 'HR_SOURCE_INCOMPLETE';
}

function isArchive(name: string): boolean {
  return name.endsWith('.zip') || name.endsWith('.tar');
}

function localPathOf({ uri }: StoredFile): string | undefined {
  return uri.scheme === 'file' ? uri.path : undefined;
}
