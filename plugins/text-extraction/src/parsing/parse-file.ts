import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Extraction, TextLimitReached } from '../blocks/blocks.ts';
import type { TextNoticeCode } from '../blocks/text-notice.ts';
import { writeMarkdown } from '../blocks/write-markdown.ts';
import { writeText } from '../blocks/write-text.ts';
import {
  EncryptedFile,
  ExpansionBudget,
  type FileInput,
  type FormatReader,
  type ReadOptions,
} from '../formats/format.ts';
import { INNER_SUBJECT } from '../formats/inner-mail.ts';
import { INNER_PROBLEM, reasonOf, reportInner, skipInner } from '../formats/inner-problem.ts';
import { UnsupportedPdfLibrary } from '../formats/pdf-library.ts';
import { readZip } from '../formats/zip.ts';
import { type DetectedType, detectType, type FormatName } from './detect.ts';
import { hasImages } from './image-probe.ts';
import type { MissingText, ParsedFile, ParseRequest } from './parse-message.ts';

/** Archives inside archives are opened up to this depth. */
const MAX_DEPTH = 8;

/** The type of an encrypted Office file. */
const PROTECTED = 'application/x-tika-ooxml-protected';

/** The readers, loaded when a file needs them. */
const READERS: Readonly<Record<FormatName, () => Promise<FormatReader>>> = {
  pdf: async () => (await import('../formats/pdf.ts')).readPdf,
  docx: async () => (await import('../formats/docx.ts')).readDocx,
  pptx: async () => (await import('../formats/pptx.ts')).readPptx,
  spreadsheet: async () => (await import('../formats/spreadsheet.ts')).readSpreadsheet,
  odf: async () => (await import('../formats/odf.ts')).readOdf,
  rtf: async () => (await import('../formats/rtf.ts')).readRtf,
  epub: async () => (await import('../formats/epub.ts')).readEpub,
  html: async () => (await import('../formats/html.ts')).readHtml,
  doc: async () => (await import('../formats/doc.ts')).readDoc,
  text: async () => (await import('../formats/plain-text.ts')).readPlainText,
  mail: async () => (await import('../formats/mail.ts')).readMail,
  mbox: async () => (await import('../formats/mbox.ts')).readMbox,
  outlook: async () => (await import('../formats/outlook.ts')).readOutlook,
  ppt: async () => (await import('../formats/ppt.ts')).readPpt,
  ole: async () => (await import('../formats/ole.ts')).readOle,
  xml: async () => (await import('../formats/xml-text.ts')).readXmlText,
  'flat-odf': async () => (await import('../formats/odf.ts')).readFlatOdf,
  visio: async () => (await import('../formats/visio.ts')).readVisio,
  zip: async () => readZipArchive,
  'seven-zip': async () => (await import('../formats/seven-zip.ts')).readSevenZip,
  tnef: async () => (await import('../formats/tnef.ts')).readTnef,
  tar: async () => readTar,
  gzip: async () => readGzip,
};

const readers = new Map<FormatName, FormatReader>();

/** Returns the reader of a format. An import takes time even if its module is loaded, and a mail may have many parts. */
async function readerOf(format: FormatName): Promise<FormatReader> {
  const known = readers.get(format);
  if (known !== undefined) return known;
  const reader = await READERS[format]();
  readers.set(format, reader);
  return reader;
}

/** Parses a file. Problems of the file are a part of the result. Rejects with `UnsupportedPdfLibrary`. */
export async function parseFile(request: ParseRequest): Promise<ParsedFile> {
  const { bytes, name, contentType, encoding, maxCharacters, maxExpandedBytes, format, images, options } = request;
  const extraction = new Extraction(maxCharacters, images);
  const [, named] = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '') ?? [];
  const budget = new ExpansionBudget(maxExpandedBytes);
  const inputOf = (limit: ExpansionBudget) => fileInput(bytes, name, encoding ?? named, options, 0, limit);
  let problem: ParsedFile['problem'];
  try {
    await readTyped(inputOf(budget), contentType, extraction);
  } catch (error) {
    if (error instanceof UnsupportedPdfLibrary) throw error;
    if (!(error instanceof TextLimitReached)) {
      const kind = error instanceof EncryptedFile ? 'encrypted' : budget.left < 0 ? 'too large' : 'damaged';
      problem = { kind, message: reasonOf(error) };
    }
  }
  let missing: MissingText | undefined;
  if (!extraction.hasText && maxCharacters > 0 && problem === undefined) {
    const notice = (code: TextNoticeCode) => extraction.notices.find((one) => one.code === code);
    const unreadable = notice('text.unreadable');
    if (unreadable !== undefined) problem = { kind: 'damaged', message: unreadable.example };
    else {
      const probe = async () =>
        extraction.images.length > 0 ||
        (await hasImages((to) => readTyped(inputOf(new ExpansionBudget(maxExpandedBytes)), contentType, to)));
      const isUnsupported = notice('text.unsupported') !== undefined;
      missing = isUnsupported ? 'text.unsupported' : (await probe()) ? 'text.onlyImages' : 'text.empty';
      if (!isUnsupported) extraction.notice(missing, extraction.metadata.get('Content-Type')?.[0] ?? 'a file');
    }
  } else if (problem !== undefined) extraction.notice('text.unreadable', problem.message);
  return {
    text: cut(textOf(extraction, format), maxCharacters),
    metadata: [...extraction.metadata],
    images: extraction.images,
    notices: extraction.notices,
    ...(problem === undefined ? {} : { problem }),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** Marks of pages alone are no text. */
function textOf({ blocks }: Extraction, format: ParseRequest['format']): string {
  if (blocks.every((block) => block.kind === 'page' && block.name === undefined)) return '';
  return format === 'markdown' ? writeMarkdown(blocks) : writeText(blocks);
}

/** Returns the start of a text. A character of two units is not cut in two. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length);
}

/** Detects the type of a file, describes it, and reads it. */
async function readTyped(file: FileInput, contentType: string | undefined, to: Extraction): Promise<void> {
  const { input, mediaType, format } = await openFile(file, contentType);
  if (format === undefined) {
    to.describe('Content-Type', mediaType);
    if (mediaType === PROTECTED) throw new EncryptedFile(input.options.passwords);
    if (mediaType.startsWith('image/')) to.seeDrawing();
    else if (input.bytes.length > 0) to.notice('text.unsupported', mediaType);
    return;
  }
  const read = await readerOf(format);
  try {
    await read(input, to);
  } finally {
    const encoding = to.metadata.get('Content-Encoding')?.[0];
    const hasEncoding = encoding !== undefined && (format === 'text' || format === 'html');
    to.describe('Content-Type', hasEncoding ? `${mediaType}; charset=${encoding}` : mediaType);
    to.describe('X-TIKA:Parsed-By', `headrace.${format}`);
  }
}

/** Detects the type of a file. An Office file that a password opens, or that needs none to open, is decrypted. */
async function openFile(
  input: FileInput,
  contentType: string | undefined,
): Promise<DetectedType & { readonly input: FileInput }> {
  const type = await detectType(input.bytes, input.name, contentType);
  if (type.mediaType !== PROTECTED) return { ...type, input };
  const { decryptOffice } = await import('../formats/office-encryption.ts');
  const bytes = await decryptOffice(input.bytes, input.options.passwords);
  if (bytes === undefined) return { ...type, input };
  return { ...(await detectType(bytes, input.name, contentType)), input: { ...input, bytes } };
}

function fileInput(
  bytes: Uint8Array,
  name: string | undefined,
  charset: string | undefined,
  options: ReadOptions,
  depth: number,
  budget: ExpansionBudget,
): FileInput {
  const readNext: FileInput['readInner'] = (inner, innerName, to) =>
    readInner(fileInput(inner, innerName, undefined, options, depth + 1, budget), to);
  return { bytes, name, charset, options, depth, budget, readInner: readNext };
}

/**
 * Reads a file of an archive, a mail or a document into the same text, after its name. If it cannot be read, the
 * metadata say so, and the rest of the outer file is read.
 */
async function readInner(input: FileInput, to: Extraction): Promise<void> {
  const { bytes, name = 'embedded file' } = input;
  if (input.name !== undefined) to.add({ kind: 'name', text: input.name });
  if (input.depth > MAX_DEPTH) {
    reportInner(to, name, `it is inside more than ${MAX_DEPTH} other files`);
    return;
  }
  await skipInner(input, to, name, async () => {
    const { input: opened, mediaType, format } = await openFile(input, undefined);
    if (mediaType.startsWith('image/')) to.addImage({ name, mediaType, bytes });
    if (mediaType === PROTECTED) throw new EncryptedFile(input.options.passwords);
    if (format === undefined) {
      if (bytes.length > 0 && !mediaType.startsWith('image/')) to.notice('text.unsupported', `${name}: ${mediaType}`);
      return;
    }
    // The metadata of an inner file do not describe the outer one.
    const read = await readerOf(format);
    await read(opened, new InnerExtraction(to));
  });
}

/** Adds blocks and images to an outer file, and ignores metadata. */
class InnerExtraction extends Extraction {
  readonly #outer: Extraction;

  constructor(outer: Extraction) {
    super(Number.POSITIVE_INFINITY, outer.wantsImages);
    this.#outer = outer;
  }

  override add(block: Parameters<Extraction['add']>[0]): void {
    this.#outer.add(block);
  }

  override addImage(image: Parameters<Extraction['addImage']>[0]): void {
    this.#outer.addImage(image);
  }

  override seeDrawing(): void {
    this.#outer.seeDrawing();
  }

  override notice(code: TextNoticeCode, example: string, count?: number): void {
    this.#outer.notice(code, example, count);
  }

  override describe(name: string, value: string | number | undefined | null): void {
    if (name === INNER_PROBLEM || name === INNER_SUBJECT) this.#outer.describe(name, value);
  }
}

async function readZipArchive(input: FileInput, to: Extraction): Promise<void> {
  const { bytes, budget, options, readInner } = input;
  let decrypted: Promise<ReadonlyMap<string, Uint8Array>> | undefined;
  const decrypt = async (name: string) => {
    decrypted ??= decryptedFiles(input);
    const content = (await decrypted).get(name);
    if (content === undefined) throw new EncryptedFile(options.passwords);
    return content;
  };
  for (const entry of await readZip(bytes, budget)) {
    const read = () =>
      entry.read().catch((error: Error) => {
        if (error instanceof EncryptedFile && options.passwords.length > 0) return decrypt(entry.name);
        throw error;
      });
    const content = await read().catch((error: Error) => {
      if (budget.left < 0) throw error;
      reportInner(to, entry.name, error.message);
      return undefined;
    });
    if (content !== undefined) await readInner(content, entry.name, to);
  }
}

/** Returns the files of an encrypted zip file by their name: 7-Zip knows its ciphers. */
async function decryptedFiles(input: FileInput): Promise<ReadonlyMap<string, Uint8Array>> {
  const { unpack } = await import('../formats/seven-zip.ts');
  return (await unpack(input)).files;
}

async function readTar({ bytes, budget, readInner }: FileInput, to: Extraction): Promise<void> {
  // Old writers omit the name of the format.
  const archive = extract({ allowUnknownFormat: true } as Parameters<typeof extract>[0]);
  Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]).pipe(archive);
  for await (const entry of archive) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) {
      budget.take((piece as Buffer).length);
      pieces.push(piece as Buffer);
    }
    if (entry.header.type === 'file') await readInner(Buffer.concat(pieces), entry.header.name, to);
  }
}

async function readGzip({ bytes, name, budget, readInner }: FileInput, to: Extraction): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of Readable.from([Buffer.from(bytes)]).pipe(createGunzip())) {
    budget.take((piece as Buffer).length);
    pieces.push(piece as Buffer);
  }
  const inner = name?.replace(/\.t?gz$/i, (end) => (/^\.tgz$/i.test(end) ? '.tar' : ''));
  await readInner(Buffer.concat(pieces), inner, to);
}
