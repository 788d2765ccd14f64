import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Extraction, TextLimitReached } from '../blocks/blocks.ts';
import { writeMarkdown } from '../blocks/write-markdown.ts';
import { writeText } from '../blocks/write-text.ts';
import { EncryptedFile, ExpansionBudget, type FileInput, type FormatReader } from '../formats/format.ts';
import { mailReader } from '../formats/mail.ts';
import { outlookReader } from '../formats/outlook.ts';
import { readZip } from '../formats/zip.ts';
import { detectType, type FormatName } from './detect.ts';
import type { ParsedFile, ParseRequest } from './parse-message.ts';

/** Archives inside archives are opened up to this depth. */
const MAX_DEPTH = 4;

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
  mail: async () => mailReader(readInner),
  outlook: async () => outlookReader(readInner),
  zip: async () => readZipArchive,
  tar: async () => readTar,
  gzip: async () => readGzip,
};

/** Parses a file. Problems of the file are a part of the result. */
export async function parseFile(request: ParseRequest): Promise<ParsedFile> {
  const { bytes, name, contentType, maxCharacters, maxExpandedBytes, format, images } = request;
  const extraction = new Extraction(maxCharacters, images);
  const [, charset] = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '') ?? [];
  const input: FileInput = { bytes, name, charset, depth: 0, budget: new ExpansionBudget(maxExpandedBytes) };
  let problem: ParsedFile['problem'];
  try {
    await readTyped(input, contentType, extraction);
  } catch (error) {
    if (!(error instanceof TextLimitReached)) {
      const kind = error instanceof EncryptedFile ? 'encrypted' : 'damaged';
      problem = { kind, message: error instanceof Error ? error.message : String(error) };
    }
  }
  const whole = format === 'markdown' ? writeMarkdown(extraction.blocks) : writeText(extraction.blocks);
  return {
    text: whole.length > maxCharacters ? whole.slice(0, maxCharacters) : whole,
    metadata: [...extraction.metadata],
    images: extraction.images,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Detects the type of a file, describes it, and reads it. */
async function readTyped(input: FileInput, contentType: string | undefined, to: Extraction): Promise<void> {
  const { mediaType, format } = await detectType(input.bytes, input.name, contentType);
  if (format === undefined) {
    to.describe('Content-Type', mediaType);
    if (mediaType === 'application/x-tika-ooxml-protected') throw new EncryptedFile();
    return;
  }
  const read = await READERS[format]();
  try {
    await read(input, to);
  } finally {
    const encoding = to.metadata.get('Content-Encoding')?.[0];
    const hasEncoding = encoding !== undefined && (format === 'text' || format === 'html');
    to.describe('Content-Type', hasEncoding ? `${mediaType}; charset=${encoding}` : mediaType);
    to.describe('X-TIKA:Parsed-By', `headrace.${format}`);
  }
}

/** Reads a file of an archive or a mail into the same text. A file that cannot be read is omitted. */
async function readInner(input: FileInput, to: Extraction): Promise<void> {
  if (input.depth > MAX_DEPTH) return;
  const { mediaType, format } = await detectType(input.bytes, input.name, undefined);
  if (mediaType.startsWith('image/')) to.addImage({ name: input.name ?? 'image', mediaType, bytes: input.bytes });
  if (format === undefined) return;
  if (input.name !== undefined) to.add({ kind: 'paragraph', text: input.name });
  // The metadata of an inner file do not describe the outer one.
  const inner = new InnerExtraction(to);
  const before = input.budget.left;
  try {
    await (await READERS[format]())(input, inner);
  } catch (error) {
    if (error instanceof TextLimitReached || input.budget.left < 0) throw error;
    if (before === input.budget.left && to.blocks.length === 0) throw error;
  }
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
}

async function readZipArchive({ bytes, depth, budget }: FileInput, to: Extraction): Promise<void> {
  for (const entry of await readZip(bytes, budget)) {
    await readInner({ bytes: await entry.read(), name: entry.name, depth: depth + 1, budget }, to);
  }
}

async function readTar({ bytes, depth, budget }: FileInput, to: Extraction): Promise<void> {
  const archive = extract();
  Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]).pipe(archive);
  for await (const entry of archive) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) {
      budget.take((piece as Buffer).length);
      pieces.push(piece as Buffer);
    }
    if (entry.header.type !== 'file') continue;
    await readInner({ bytes: Buffer.concat(pieces), name: entry.header.name, depth: depth + 1, budget }, to);
  }
}

async function readGzip({ bytes, name, depth, budget }: FileInput, to: Extraction): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of Readable.from([Buffer.from(bytes)]).pipe(createGunzip())) {
    budget.take((piece as Buffer).length);
    pieces.push(piece as Buffer);
  }
  const inner = name?.replace(/\.t?gz$/i, (end) => (/^\.tgz$/i.test(end) ? '.tar' : ''));
  await readInner({ bytes: Buffer.concat(pieces), name: inner, depth: depth + 1, budget }, to);
}
