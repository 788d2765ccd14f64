import { basename } from 'node:path';
import { charsetDecoder } from 'headrace/charsets';
import {
  CONNECTS,
  capped,
  Document,
  HeadraceError,
  holdMemory,
  isMemoryError,
  MapOf,
  maxValueBytes,
  memoryOf,
  messageOf,
  OneOf,
  type ParameterProblem,
  Stage,
  type Static,
  Type,
} from 'headrace/engine';
import { safeUrl } from 'headrace/http';
import {
  CacheParameter,
  checkCache,
  checkStorageSettings,
  contentOf,
  FileTooLarge,
  type GuardedCache,
  openCache,
  type StorageSettings,
  Storages,
  storageParameters,
  unreadyStorages,
} from 'headrace/storage';
import type { TextNoticeCode } from './blocks/text-notice.ts';
import type { ReadOptions } from './formats/format.ts';
import { requirePdfLibrary, UnsupportedPdfLibrary } from './formats/pdf-library.ts';
import { cachedParse, readersIdentity } from './parsing/cached-parse.ts';
import { checkIgnored, ignoredParameters } from './parsing/ignored-parameters.ts';
import { cleanName, MetadataFilter } from './parsing/metadata.ts';
import { MISSING_TEXT } from './parsing/missing-text.ts';
import type { MissingText, ParsedFile, ParseRequest } from './parsing/parse-message.ts';
import { ExpandsTooMuch, NotEnoughMemory, ParseFailure, ParseThreads } from './parsing/parse-threads.ts';
import { TikaServer } from './parsing/tika-server.ts';

const parameters = Type.Object({
  /** The field with the path of the file: a local path, or a URI of a block below. Use either this or byteArrayField. */
  filePathField: Type.Optional(Type.String()),
  /** The field with the bytes of the file, or their base64 text. */
  byteArrayField: Type.Optional(Type.String()),
  /** The field for the text. If it has a value, the text is added to it. */
  textField: Type.String({ default: 'text' }),
  /** How the text is written. markdown keeps headings, lists, tables and page numbers. */
  format: OneOf(['text', 'markdown'], { default: 'text' }),
  /**
   * How dates and times of spreadsheets are written. format writes them as the file shows them. Formats that follow the
   * language of the reader, such as the short date of Excel, follow the language of the file, or are ISO if it names
   * none. iso writes 2024-04-03, 2024-04-03T15:30:00 and 15:30:00.
   */
  dates: OneOf(['format', 'iso'], { default: 'format' }),
  /**
   * What happens to hidden rows, columns, sheets, slides, shapes and texts of Word, Excel, PowerPoint and OpenDocument
   * spreadsheets. include adds them like other text, mark writes [hidden: text], or [hidden]
   * before a slide or a shape, omit leaves them out.
   */
  hidden: OneOf(['include', 'mark', 'omit'], { default: 'include' }),
  /**
   * The passwords of encrypted files, tried in this order: Office files since 2007, PDF, zip, 7z and RAR. The log
   * does not say which one was right.
   */
  passwords: Type.Array(Type.String(), { default: [] }),
  /**
   * The encoding of text files without a byte-order mark, such as macroman, cp850, gb18030 or IBM037. Defaults to
   * detection, which cannot tell all encodings apart.
   */
  encoding: Type.Optional(Type.String()),
  /** The start of the names of metadata fields, before a _. An empty text means no prefix. */
  metadataPrefix: Type.String({ default: 'tika' }),
  /** The field for the names of all metadata fields that the stage adds. */
  fieldNamesField: Type.Optional(Type.String()),
  /** The metadata to keep, by their names without prefix, such as dc_title. An empty list means all. */
  whitelist: Type.Array(Type.String(), { default: [] }),
  /** The metadata to omit. */
  blacklist: Type.Array(Type.String(), { default: [] }),
  /** The maximum number of characters of the text; the rest is cut off. */
  textContentLimit: Type.Integer({ default: 2147483647, minimum: 0 }),
  /** The longest time for a file, in milliseconds. A file that takes longer fails its document. */
  parseTimeout: Type.Integer({ default: 120_000, minimum: 1, ...capped('maxWaitSecs', { scale: 1000 }) }),
  /** The memory for a file, in MiB: for objects, and again for buffers. A file that needs more fails its document. */
  maxMemoryMb: Type.Integer({ default: 512, minimum: 16, ...capped('maxMemoryMb') }),
  /** How many MiB an archive or an Office file may expand to. One with more fails its document. */
  maxExpandedMb: Type.Integer({ default: 512, minimum: 1, ...capped('maxMemoryMb') }),
  /**
   * Metadata that are known before, and the fields that contain them: metadataFields { resourceName: file_name,
   * "Content-Type": type }. They help to detect the type, and are added to the result.
   */
  metadataFields: Type.Optional(MapOf(Type.String())),
  /**
   * What happens if a file is damaged, encrypted, of an unknown type, or has no text. continue keeps what could be read,
   * and reports a notice. fail fails the document.
   */
  onError: OneOf(['continue', 'fail'], { default: 'continue' }),
  /**
   * The field for the reason why a file could not be read completely. For a file without text, the reason is a code:
   * text.onlyImages, text.unsupported or text.empty. If only some pages of a PDF file have no text, but images, it is
   * text.imagePages. A condition on this field can send such files to ApplyOCR.
   */
  errorField: Type.Optional(Type.String()),
  /**
   * Whether each image inside a file becomes a child document with the fields file_content, media_type, parent_id, and
   * page for PDF files. These are images that ApplyOCR reads: metafiles (EMF, WMF) and SVG drawings of documents are
   * omitted. Images of PDF files become PNG.
   */
  emitImages: Type.Boolean({ default: false }),
  /** A Tika server that reads the files. Without it, the plugin reads them. */
  tika: Type.Optional(
    Type.Object({
      /** The URL of the server, such as http://localhost:9998. */
      url: Type.String(CONNECTS),
    }),
  ),
  /**
   * Keeps texts and metadata between runs, by the content and the name of the file and the parameters, so that an
   * unchanged file is parsed once: path (a SQLite file) or connectionString and table (Postgres), maxMegabytes and
   * maxAgeDays. Defaults to none.
   */
  cache: Type.Optional(CacheParameter),
  ...ignoredParameters,
  ...storageParameters,
});

type Params = Static<typeof parameters>;

/** The page of the example. */
const PAGE = Buffer.from(
  '<html><title>Mill</title><h1>Hours</h1><p>The gate opens at nine.</p><ul><li>Monday<li>Tuesday</ul>',
).toString('base64');

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MIB = 1024 * 1024;
/** A file that expands to no more is parsed without taking memory for it. */
const USUAL_EXPANSION = 8 * MIB;
/** How much more a file may expand to in the next attempt. */
const MORE_EXPANSION = 8;
/** What a file contains exists as bytes, as text and in the result. */
const EXPANDED_COPIES = 3;
/** How much more memory a file gets if it was parsed with too little. */
const MORE = 1.5;
/** How many files a pipeline thread parses concurrently. */
const THREADS = 2;

/**
 * Extracts text and metadata from files: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, EPUB, HTML, mail (EML, MSG,
 * mbox and winmail.dat), old Word, Excel and PowerPoint files, XML, text in any encoding, and zip, 7z, RAR, tar and gzip
 * archives of these. The type is detected by the content, not by the name. Attachments and files inside Office files are read into the same
 * text. With tika.url, a Tika server reads the files.
 *
 * Metadata get the names of Apache Tika: in lower case, with _ for blanks, - and :, after the prefix, such as
 * tika_content_type, tika_dc_title, tika_dc_creator, tika_xmptpg_npages. All values are texts, and are added to the
 * values that a field has.
 *
 * Each file is parsed in a separate thread with limits of memory and time. A file that exceeds them fails its document
 * with the reason. Large files wait for memory. A document without the source field stays unchanged.
 *
 * A file without text is reported as a notice, with a code in errorField: text.onlyImages for a scan, which ApplyOCR
 * reads, text.unsupported for a type without a reader, and text.empty. Characters that no text has, such as U+0000, are
 * removed, with the notice text.controls.
 */
export class TextExtractor extends Stage<typeof parameters> {
  static readonly javaClass = 'com.kmwllc.lucille.tika.stage.TextExtractor';
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The text and the title of a page that is in the document, as base64',
      params: { byteArrayField: 'page', format: 'markdown', whitelist: ['dc_title'] },
      documents: [{ id: '1', page: PAGE }],
      output: [
        {
          id: '1',
          page: PAGE,
          text: '# Hours\n\nThe gate opens at nine.\n\n- Monday\n- Tuesday\n',
          tika_dc_title: 'Mill',
        },
      ],
    },
  ];

  static override *check(params: Params): Generator<ParameterProblem> {
    const { filePathField, byteArrayField } = params;
    if ((filePathField === undefined) === (byteArrayField === undefined)) {
      yield {
        parameter: 'filePathField',
        message:
          filePathField === undefined
            ? 'Neither filePathField nor byteArrayField is set'
            : 'filePathField and byteArrayField are both set',
        hint: 'Set only the parameter that names the field with the file.',
      };
    }
    yield* checkStorageSettings(params as StorageSettings);
    yield* unreadyStorages(params as StorageSettings);
    const { tika, emitImages, encoding } = params;
    if (tika !== undefined && !/^https?:$/.test(URL.parse(tika.url)?.protocol ?? '')) {
      yield {
        parameter: 'tika.url',
        message: `${safeUrl(tika.url)} is not an http or https URL`,
        hint: 'Write http://localhost:9998.',
      };
    }
    if (tika !== undefined && emitImages === true) {
      yield {
        parameter: 'emitImages',
        severity: 'warning',
        message: 'emitImages has no effect with tika.url: the server returns no images',
        hint: 'Remove one of them.',
      };
    }
    if (tika !== undefined && encoding !== undefined) {
      yield {
        parameter: 'encoding',
        severity: 'warning',
        message: 'encoding has no effect with tika.url: the server detects encodings',
        hint: 'Name it in a field for metadataFields."Content-Type", such as text/plain; charset=cp850.',
      };
    }
    if (tika === undefined && encoding !== undefined && charsetDecoder(encoding) === undefined) {
      yield {
        parameter: 'encoding',
        message: `${encoding} is not a known encoding`,
        hint: 'Write a name such as macroman, cp850, gb18030, utf-16le or IBM037. Names of Java and iconv-lite are known.',
      };
    }
    yield* checkCache(params.cache);
    yield* checkIgnored(params);
  }

  override readonly maxInFlight = THREADS * 2;
  readonly #storages = new Storages(this.params as StorageSettings);
  readonly #options: ReadOptions = {
    dates: this.params.dates,
    hidden: this.params.hidden,
    passwords: this.params.passwords,
  };
  readonly #filter = new MetadataFilter(this.params.metadataPrefix, this.params.whitelist, this.params.blacklist);
  /** Whether a document without the field was reported. */
  #hasWarned = false;
  #threads: ParseThreads | undefined;
  #server: TikaServer | undefined;
  #cache: GuardedCache | undefined;
  /** Identifies what reads the files, if there is a cache. */
  #reader = '';

  override async checkAccess(_report: unknown, signal: AbortSignal): Promise<void> {
    const { tika, parseTimeout } = this.params;
    if (tika === undefined) return;
    const server = await TikaServer.open(tika.url, parseTimeout, () => Promise.reject(new Error('no file is read')));
    try {
      await server.checkAccess(signal);
    } finally {
      await server.close();
    }
  }

  override async start(): Promise<void> {
    const { maxMemoryMb, parseTimeout, tika } = this.params;
    // The server reads PDF files itself.
    if (tika === undefined) checkPdfLibrary();
    const threads = new ParseThreads(
      { memoryMb: Math.min(maxMemoryMb, maxValueBytes() / MIB), timeout: parseTimeout },
      THREADS,
    );
    this.#threads = threads;
    if (tika !== undefined) {
      this.#server = await TikaServer.open(tika.url, parseTimeout, (page) => threads.parse(page));
    }
    // Without a server, each file would fail, and only after its retries.
    const server = (await this.#server?.identity()) ?? '';
    this.#cache = await openCache(this.params.cache, this.context);
    if (this.#cache !== undefined) this.#reader = [readersIdentity(), server].join(' ');
  }

  override async stop(): Promise<void> {
    await this.#server?.close();
    await this.#threads?.close();
    await this.#storages.close();
    await this.#cache?.close();
  }

  override process(document: Document): Promise<Iterable<Document> | undefined> | undefined {
    const { filePathField, byteArrayField } = this.params;
    const field = (filePathField ?? byteArrayField) as string;
    if (document.has(field)) return this.#extract(document);
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      const parameter = filePathField === undefined ? 'byteArrayField' : 'filePathField';
      const message = `The document has no field ${field} (${parameter}) and stays unchanged; others are not reported`;
      this.context.log.warn(message, { document: document.id });
    }
    return undefined;
  }

  async #extract(document: Document): Promise<Iterable<Document> | undefined> {
    const { textField, textContentLimit, format, maxExpandedMb } = this.params;
    const hints = this.#hintsOf(document);
    let bytes: Uint8Array | undefined;
    try {
      bytes = await contentOf(
        document,
        { pathField: this.params.filePathField, bytesField: this.params.byteArrayField },
        this.#storages,
        MAX_FILE_BYTES,
        memoryOf(document),
      );
    } catch (error) {
      if (error instanceof FileTooLarge) {
        const hint = 'Divide the file, or do not publish it: see filterOptions of FileConnector.';
        throw this.#failure(document, 'cannot be read', messageOf(error), hint);
      }
      if (isMemoryError(error)) throw error;
      this.#problem(document, messageOf(error));
      const path = this.#pathOf(document);
      this.context.notices.report('text.unreadable', { document: document.id, file: path, value: messageOf(error) });
    }
    if (bytes === undefined) return undefined;
    const before = memoryOf(document).bytes;
    let parsed: ParsedFile;
    try {
      const request = {
        bytes,
        name: hints.get('resourceName')?.[0] ?? this.#nameOf(document),
        contentType: hints.get('Content-Type')?.[0],
        encoding: this.params.encoding,
        format,
        maxCharacters: textContentLimit,
        maxExpandedBytes: maxExpandedMb * MIB,
        images: this.params.emitImages,
        options: this.#options,
      };
      parsed = await cachedParse(this.#cache, this.#reader, request, (file) => this.#parse(document, file));
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      const { message, hint } = error;
      throw this.#failure(document, 'cannot be parsed', message, hint);
    }
    // The file is not needed any more, unless it is in the document.
    if (this.params.filePathField !== undefined) memoryOf(document).keep(before - bytes.length);
    await memoryOf(document).take(sizeOf(parsed));
    document.setOrAdd(textField, parsed.text);
    this.#addMetadata(document, hints, parsed);
    if (parsed.problem !== undefined) this.#problem(document, parsed.problem.message);
    else this.#describeGaps(document, parsed);
    this.#report(document, parsed);
    return this.#images(document, parsed);
  }

  /**
   * Parses a file, first with a small limit for its expansion, which suits most files. If it expands to more, takes
   * memory for it, which may need other documents to leave, and parses it again.
   */
  async #parse(document: Document, file: ParseRequest): Promise<ParsedFile> {
    // The stage was started before.
    if (this.#server !== undefined) return this.#server.parse(file);
    const threads = this.#threads as ParseThreads;
    const memory = holdMemory(`parsing the file of document ${document.id}`, document);
    const most = Math.min(file.maxExpandedBytes, maxValueBytes());
    try {
      for (let limit = Math.min(most, USUAL_EXPANSION); ; ) {
        try {
          return await threads.parse({ ...file, maxExpandedBytes: limit }, memory);
        } catch (error) {
          const isTooLarge = error instanceof ExpandsTooMuch && limit < most;
          if (!isTooLarge && !(error instanceof NotEnoughMemory)) throw error;
          if (isTooLarge) limit = Math.min(most, limit * MORE_EXPANSION);
          memory.release();
          await memory.take(error instanceof NotEnoughMemory ? MORE * error.used : EXPANDED_COPIES * limit);
        }
      }
    } finally {
      memory.release();
    }
  }

  /** Returns the metadata that the document itself has. */
  #hintsOf(document: Document): Map<string, string[]> {
    const hints = new Map<string, string[]>();
    for (const [key, field] of this.params.metadataFields ?? []) {
      const texts = document.texts(field).filter((text) => text !== null);
      if (texts.length > 0) hints.set(key, texts);
    }
    return hints;
  }

  #nameOf(document: Document): string | undefined {
    const path = this.#pathOf(document);
    return path === undefined ? undefined : basename(path);
  }

  #pathOf(document: Document): string | undefined {
    const { filePathField } = this.params;
    return filePathField === undefined ? undefined : (document.text(filePathField) ?? undefined);
  }

  /** Returns an error that names the file: the id of its document is often a hash. */
  #failure(document: Document, what: string, reason: string, hint?: string): HeadraceError {
    const path = this.#pathOf(document);
    const file = path === undefined || reason.includes(path) ? 'The file' : `The file ${path}`;
    return new HeadraceError('HR_STAGE_FAILED', `${file} ${what}: ${reason}`, hint === undefined ? {} : { hint });
  }

  #addMetadata(document: Document, hints: ReadonlyMap<string, string[]>, { metadata }: ParsedFile): void {
    const all = new Map<string, string[]>(hints);
    for (const [name, values] of metadata) if (!all.has(name)) all.set(name, [...values]);
    const names: string[] = [];
    for (const [name, values] of all) {
      const field = this.#filter.fieldOf(cleanName(name));
      if (field === undefined) continue;
      names.push(field);
      for (const value of values) document.setOrAdd(field, value);
    }
    const { fieldNamesField } = this.params;
    if (fieldNamesField !== undefined) for (const name of names) document.setOrAdd(fieldNamesField, name);
  }

  /** Reports why a file could not be read, as the config says. */
  #problem(document: Document, reason: string): void {
    const { onError, errorField } = this.params;
    if (onError === 'fail') throw this.#failure(document, 'cannot be read', reason);
    const message = `The file cannot be read: ${reason}`;
    if (errorField !== undefined) document.setOrAdd(errorField, message);
    this.context.log.warn(message, { document: document.id, file: this.#pathOf(document) });
  }

  /** Reports what is missing in the text, or was changed. */
  #report(document: Document, { notices, images }: ParsedFile): void {
    for (const { code, count, example } of notices) {
      // The images become documents, so they are not lost.
      if (code === 'text.onlyImages' && images.length > 0) continue;
      const hint = code in MISSING_TEXT ? MISSING_TEXT[code as MissingText].hint : undefined;
      this.context.notices.report(code, {
        document: document.id,
        file: this.#pathOf(document),
        value: example,
        count,
        hint,
      });
    }
  }

  /** Writes what is missing in a file that could be read, or fails the document if it has no text. */
  #describeGaps(document: Document, { missing, notices, images }: ParsedFile): void {
    const { onError, errorField, emitImages } = this.params;
    const notice = (code: TextNoticeCode) => notices.find((one) => one.code === code);
    if (missing === undefined) {
      const inner = notice('text.unreadable');
      if (inner !== undefined && errorField !== undefined) {
        document.setOrAdd(errorField, `A part of the file cannot be read: ${inner.example}`);
      }
      if (notice('text.imagePages') !== undefined && errorField !== undefined) {
        document.setOrAdd(errorField, 'text.imagePages');
      }
      return;
    }
    // The images become documents, so they are not lost.
    const isLost = !(missing === 'text.onlyImages' && emitImages && images.length > 0);
    if (onError === 'fail' && isLost) {
      const { reason, hint } = MISSING_TEXT[missing];
      throw this.#failure(document, 'has no text', `${reason}: ${notice(missing)?.example}`, hint);
    }
    if (errorField !== undefined) document.setOrAdd(errorField, missing);
  }

  #images(document: Document, { images }: ParsedFile): Document[] | undefined {
    if (this.params.emitImages !== true || images.length === 0) return undefined;
    return images.map(({ name, mediaType, bytes, page }, i) => {
      const child = Document.create(`${document.id}-image-${i + 1}`);
      child.set('parent_id', document.id);
      child.set('file_name', name);
      child.set('media_type', mediaType);
      if (page !== undefined) child.set('page', page);
      child.set('file_content', bytes);
      return child;
    });
  }
}

/** Throws if pdf.js is installed in another version than the one that the plugin changes, before any file is read. */
function checkPdfLibrary(): void {
  try {
    requirePdfLibrary();
  } catch (error) {
    if (!(error instanceof UnsupportedPdfLibrary)) throw error;
    throw new HeadraceError('HR_LIBRARY_VERSION', error.message, { hint: error.hint });
  }
}

/** Returns the size of a text and images in bytes. */
function sizeOf({ text, images }: ParsedFile): number {
  return images.reduce((sum, { bytes }) => sum + bytes.length, text.length);
}
