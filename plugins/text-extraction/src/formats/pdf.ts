import type { Extraction } from '../blocks/blocks.ts';
import { EncryptedFile, type FormatReader } from './format.ts';
import { addPage, type TextItem } from './pdf-layout.ts';

/** Reads the text of PDF files, page by page, with headings and tables by their layout. */
export const readPdf: FormatReader = async ({ bytes, budget, readInner }, to) => {
  const { getDocumentProxy } = await import('unpdf');
  // pdf.js takes the memory, and reports problems of fonts on the console.
  const pdf = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 }).catch((error) => {
    throw error?.name === 'PasswordException' ? new EncryptedFile() : error;
  });
  try {
    to.describe('xmpTPg:NPages', pdf.numPages);
    await describePdf(pdf, to);
    const files = new Map<string, Uint8Array>();
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      to.add({ kind: 'page', number });
      addPage(
        items.flatMap((item) => ('str' in item ? itemOf(item) : [])),
        to,
      );
      for (const { text, file } of notesOf(await page.getAnnotations())) {
        if (text !== undefined) to.add({ kind: 'paragraph', text });
        if (file !== undefined) files.set(file.name, file.bytes);
      }
      page.cleanup();
    }
    for (const title of titlesOf((await pdf.getOutline()) ?? [])) to.add({ kind: 'item', ordered: false, ...title });
    for (const { filename, content } of Object.values((await pdf.getAttachments()) ?? {}) as PdfFile[]) {
      if (content !== undefined) files.set(filename, content);
    }
    for (const [name, content] of files) {
      budget.take(content.length);
      await readInner(content, name, to);
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
};

interface PdfText {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

function itemOf({ str, transform, width, height }: PdfText): TextItem[] {
  if (str === '') return [];
  const [, , , , x = 0, y = 0] = transform;
  const size = Math.hypot(transform[2] ?? 0, transform[3] ?? 0) || height;
  return [{ text: str, x, y, width, size }];
}

interface PdfFile {
  readonly filename: string;
  readonly content?: Uint8Array;
}

/** The parts of an annotation that are used. */
interface PdfNote {
  readonly subtype?: string;
  readonly titleObj?: { readonly str: string };
  readonly contentsObj?: { readonly str: string };
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly file?: PdfFile;
}

interface FoundNote {
  readonly text?: string;
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
}

/** Returns the comments, the values of form fields and the attached files of a page. */
function notesOf(notes: readonly PdfNote[]): FoundNote[] {
  return notes.map(({ subtype, titleObj, contentsObj, fieldName = '', fieldValue, file }) => {
    if (file?.content !== undefined) return { file: { name: file.filename, bytes: file.content } };
    if (subtype === 'Popup') return {};
    if (subtype === 'Widget') {
      const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue;
      return typeof value === 'string' && value !== '' ? { text: `${fieldName}: ${value}` } : {};
    }
    const text = contentsObj?.str ?? '';
    return text === '' ? {} : { text: [titleObj?.str ?? '', text].filter((part) => part !== '').join(': ') };
  });
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
