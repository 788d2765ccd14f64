import type { Extraction } from '../blocks/blocks.ts';
import { EncryptedFile, type FormatReader } from './format.ts';
import { addPage, type TextItem } from './pdf-layout.ts';

/** Reads the text of PDF files, page by page, with headings and tables by their layout. */
export const readPdf: FormatReader = async ({ bytes }, to) => {
  const { getDocumentProxy } = await import('unpdf');
  // pdf.js takes the memory, and reports problems of fonts on the console.
  const pdf = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 }).catch((error) => {
    throw error?.name === 'PasswordException' ? new EncryptedFile() : error;
  });
  try {
    to.describe('xmpTPg:NPages', pdf.numPages);
    await describePdf(pdf, to);
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      to.add({ kind: 'page', number });
      addPage(
        items.flatMap((item) => ('str' in item ? itemOf(item) : [])),
        to,
      );
      page.cleanup();
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

interface Described {
  getMetadata(): Promise<{ readonly info: object }>;
}

async function describePdf(pdf: Described, to: Extraction): Promise<void> {
  const info = (await pdf.getMetadata().catch(() => ({ info: {} }))).info as Record<string, unknown>;
  const text = (key: string) => (typeof info[key] === 'string' ? (info[key] as string) : undefined);
  to.describe('pdf:PDFVersion', text('PDFFormatVersion'));
  to.describe('dc:title', text('Title'));
  to.describe('dc:creator', text('Author'));
  to.describe('dc:subject', text('Subject'));
  to.describe('pdf:docinfo:keywords', text('Keywords'));
  to.describe('xmp:CreatorTool', text('Creator'));
  to.describe('pdf:producer', text('Producer'));
  to.describe('dcterms:created', pdfDate(text('CreationDate')));
  to.describe('dcterms:modified', pdfDate(text('ModDate')));
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
