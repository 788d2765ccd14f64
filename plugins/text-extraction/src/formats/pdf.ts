import type { Extraction } from '../blocks/blocks.ts';
import { EncryptedFile, type FormatReader } from './format.ts';
import { reorderFor } from './pdf-direction.ts';
import { isPageDrawn, PdfImages } from './pdf-images.ts';
import { addPage, type TextItem } from './pdf-layout.ts';
import { loadPdfLibrary } from './pdf-library.ts';
import { rulesOf } from './pdf-rules.ts';
import { mayHaveTable, ruledTables } from './pdf-tables.ts';

/** Larger images are not decoded: four bytes for each pixel must fit into the memory of a parse. */
const MOST_PIXELS = 64 * 1024 ** 2;

/** Reads the text of PDF files, page by page, with headings and tables by their layout. */
export const readPdf: FormatReader = async ({ bytes, budget, options, readInner }, to) => {
  const { getDocumentProxy } = await loadPdfLibrary();
  const open = (password?: string) =>
    // pdf.js takes the memory, and reports problems of fonts on the console.
    getDocumentProxy(Uint8Array.from(bytes), {
      verbosity: 0,
      maxImageSize: MOST_PIXELS,
      ...(password === undefined ? {} : { password }),
    }).catch((error) => {
      if (error?.name === 'PasswordException') return undefined;
      throw error;
    });
  let pdf = await open();
  for (const password of options.passwords) pdf ??= await open(password);
  if (pdf === undefined) throw new EncryptedFile(options.passwords);
  try {
    to.describe('xmpTPg:NPages', pdf.numPages);
    await describePdf(pdf, to);
    const images = new PdfImages(to, budget);
    /** The names of the attached files by their id. */
    const files = new Map<string, string | undefined>();
    const pagesWithoutText: number[] = [];
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent({ disableNormalization: true });
      to.add({ kind: 'page', number });
      const texts = items.flatMap((item) => ('str' in item ? itemOf(item) : []));
      if (texts.every(({ text }) => text.trim() === '')) pagesWithoutText.push(number);
      const tables = mayHaveTable(texts) ? ruledTables(texts, await rulesOf(page)) : [];
      addPage(texts, await reorderFor(texts), to, tables);
      for (const note of (await page.getAnnotations()) as PdfNote[]) {
        to.add({ kind: 'paragraph', text: textOf(note) });
        if (note.fileId !== undefined) files.set(note.fileId, note.file?.filename);
      }
      if (to.wantsImages) await images.add(page);
      page.cleanup();
    }
    const [first] = pagesWithoutText;
    // Images take long to decode, so only the first such page is looked at.
    if (
      first !== undefined &&
      pagesWithoutText.length < pdf.numPages &&
      (await isPageDrawn(await pdf.getPage(first)))
    ) {
      to.notice('text.imagePages', pagesOf(pagesWithoutText), pagesWithoutText.length);
    }
    for (const title of titlesOf((await pdf.getOutline()) ?? [])) to.add({ kind: 'item', ordered: false, ...title });
    for (const [id, { filename }] of (await pdf.getAttachments()) ?? []) files.set(id, filename);
    for (const [id, name] of files) {
      const content = (await pdf.getAttachmentContent(id)) as Uint8Array | null;
      budget.take(content?.length ?? 0);
      if (content !== null) await readInner(content, name, to);
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
};

/** The most numbers of pages in a notice. */
const MOST_PAGES = 10;

function pagesOf(numbers: readonly number[]): string {
  const shown = numbers.slice(0, MOST_PAGES).join(', ');
  return `${numbers.length === 1 ? 'page' : 'pages'} ${shown}${numbers.length > MOST_PAGES ? ', …' : ''}`;
}

/** In radians. */
const SMALLEST_TURN = 0.02;

interface PdfText {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Turned text is placed as if the page were turned, so that its lines are found. */
function itemOf({ str, transform, width, height }: PdfText): TextItem[] {
  if (str === '') return [];
  const [a = 1, b = 0, c = 0, d = 0, left = 0, bottom = 0] = transform;
  const size = Math.hypot(c, d) || height;
  const angle = Math.atan2(b, a);
  if (Math.abs(angle) < SMALLEST_TURN) return [{ text: str, x: left, y: bottom, width, size, turned: false }];
  const [cos, sin] = [Math.cos(-angle), Math.sin(-angle)];
  // The width of turned text is its extent along the page.
  const length = Math.max(Math.abs(width), Math.abs(height) > size * 1.5 ? Math.abs(height) : 0);
  return [{ text: str, x: left * cos - bottom * sin, y: left * sin + bottom * cos, width: length, size, turned: true }];
}

/** The parts of an annotation that are used. */
interface PdfNote {
  readonly subtype?: string;
  readonly titleObj?: { readonly str: string };
  readonly contentsObj?: { readonly str: string };
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly fileId?: string;
  readonly file?: { readonly filename: string };
}

/** Returns the text of a comment, or the value of a form field. */
function textOf({ subtype, titleObj, contentsObj, fieldName = '', fieldValue }: PdfNote): string {
  if (subtype === 'Popup') return '';
  if (subtype === 'Widget') {
    const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue;
    return typeof value === 'string' && value !== '' ? `${fieldName}: ${value}` : '';
  }
  const text = contentsObj?.str ?? '';
  return text === '' ? '' : [titleObj?.str ?? '', text].filter((part) => part !== '').join(': ');
}

interface OutlineItem {
  readonly title: string;
  readonly items: readonly OutlineItem[];
}

const DEEPEST_OUTLINE = 16;

function titlesOf(items: readonly OutlineItem[], depth = 0): { text: string; depth: number }[] {
  if (depth > DEEPEST_OUTLINE) return [];
  return items.flatMap(({ title, items: inner }) => [{ text: title, depth }, ...titlesOf(inner, depth + 1)]);
}

/** The permissions of encrypted files, and the names of Tika. (Source: ISO 32000-1, table 22.) */
const PERMISSIONS: readonly (readonly [number, string])[] = [
  [0x04, 'can_print'],
  [0x08, 'can_modify'],
  [0x10, 'extract_content'],
  [0x20, 'modify_annotations'],
  [0x100, 'fill_in_form'],
  [0x200, 'extract_for_accessibility'],
  [0x400, 'assemble_document'],
  [0x800, 'can_print_faithful'],
];

interface Described {
  getMetadata(): Promise<{ readonly info: object; readonly metadata?: unknown }>;
  getPermissions(): Promise<readonly number[] | null>;
}

async function describePdf(pdf: Described, to: Extraction): Promise<void> {
  const { info: found, metadata } = await pdf.getMetadata().catch(() => ({ info: {}, metadata: undefined }));
  const info = found as Record<string, unknown>;
  const xmp = (name: string) => {
    const value = (metadata as { get(name: string): unknown } | undefined | null)?.get(name);
    return typeof value === 'string' ? value : Array.isArray(value) ? String(value[0]) : undefined;
  };
  const text = (key: string) => (typeof info[key] === 'string' && info[key] !== '' ? (info[key] as string) : undefined);
  const version = text('PDFFormatVersion');
  to.describe('pdf:PDFVersion', version);
  to.describe('dc:format', version && `application/pdf; version=${version}`);
  to.describe('dc:title', text('Title') ?? xmp('dc:title'));
  to.describe('pdf:docinfo:title', text('Title'));
  to.describe('dc:creator', text('Author') ?? xmp('dc:creator'));
  to.describe('pdf:docinfo:creator', text('Author'));
  to.describe('dc:description', xmp('dc:description'));
  to.describe('dc:subject', text('Subject'));
  to.describe('pdf:docinfo:subject', text('Subject'));
  to.describe('meta:keyword', text('Keywords'));
  to.describe('pdf:docinfo:keywords', text('Keywords'));
  to.describe('dc:language', text('Language'));
  to.describe('xmp:CreatorTool', text('Creator') ?? xmp('xmp:creatortool'));
  to.describe('pdf:docinfo:creator_tool', text('Creator'));
  to.describe('pdf:producer', text('Producer') ?? xmp('pdf:producer'));
  to.describe('pdf:docinfo:producer', text('Producer'));
  for (const [key, name] of [
    ['CreationDate', 'created'],
    ['ModDate', 'modified'],
  ] as const) {
    to.describe(`dcterms:${name}`, pdfDate(text(key)));
    to.describe(`pdf:docinfo:${name}`, pdfDate(text(key)));
  }
  to.describe('pdf:encrypted', String(text('EncryptFilterName') !== undefined));
  to.describe('pdf:hasXFA', String(info['IsXFAPresent'] === true));
  to.describe('pdf:hasCollection', String(info['IsCollectionPresent'] === true));
  const allowed = await pdf.getPermissions();
  for (const [flag, name] of PERMISSIONS) {
    to.describe(`access_permission:${name}`, String(allowed === null || allowed.includes(flag)));
  }
}

/** Returns a PDF date, `D:20240102030405+01'00'`, as an ISO instant. */
export function pdfDate(text: string | undefined): string | undefined {
  const match = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(text ?? '');
  if (match === null) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , hours, minutes = '00'] = match;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace('.000Z', 'Z');
}
