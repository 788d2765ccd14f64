import { fileTypeFromBuffer } from 'file-type';
import { decodedBy, markOf, unmarkedEncoding } from '../formats/charset.ts';
import { OleFile } from '../formats/ole.ts';

/** The formats that have a reader. */
export type FormatName =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'spreadsheet'
  | 'odf'
  | 'rtf'
  | 'epub'
  | 'html'
  | 'mail'
  | 'mbox'
  | 'outlook'
  | 'ppt'
  | 'ole'
  | 'xml'
  | 'flat-odf'
  | 'visio'
  | 'doc'
  | 'text'
  | 'zip'
  | 'tar'
  | 'gzip'
  | 'seven-zip'
  | 'tnef';

export interface DetectedType {
  readonly mediaType: string;
  /** Undefined if no reader exists. */
  readonly format: FormatName | undefined;
}

const OCTETS: DetectedType = { mediaType: 'application/octet-stream', format: undefined };

/** The media types that a look at the first bytes finds, and their readers. */
const BY_TYPE: Readonly<Record<string, FormatName>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.template': 'docx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-word.template.macroenabled.12': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.presentationml.template': 'pptx',
  'application/vnd.openxmlformats-officedocument.presentationml.slideshow': 'pptx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'spreadsheet',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.template': 'spreadsheet',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'spreadsheet',
  'application/vnd.ms-excel.sheet.binary.macroenabled.12': 'spreadsheet',
  'application/vnd.ms-excel.template.macroenabled.12': 'spreadsheet',
  'application/vnd.ms-powerpoint.slideshow.macroenabled.12': 'pptx',
  'application/vnd.ms-powerpoint.template.macroenabled.12': 'pptx',
  'application/vnd.visio': 'visio',
  'application/vnd.oasis.opendocument.text': 'odf',
  'application/vnd.oasis.opendocument.graphics': 'odf',
  'application/vnd.oasis.opendocument.graphics-template': 'odf',
  'application/vnd.oasis.opendocument.formula': 'odf',
  'application/vnd.oasis.opendocument.spreadsheet': 'odf',
  'application/vnd.oasis.opendocument.presentation': 'odf',
  'application/vnd.oasis.opendocument.text-template': 'odf',
  'application/vnd.oasis.opendocument.spreadsheet-template': 'odf',
  'application/vnd.oasis.opendocument.presentation-template': 'odf',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'application/epub+zip': 'epub',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'message/rfc822': 'mail',
  'application/vnd.ms-outlook': 'outlook',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'spreadsheet',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/x-tika-msoffice': 'ole',
  'application/mbox': 'mbox',
  'application/xml': 'xml',
  'image/svg+xml': 'xml',
  'application/zip': 'zip',
  'application/x-tar': 'tar',
  'application/gzip': 'gzip',
  'application/x-7z-compressed': 'seven-zip',
  'application/x-rar-compressed': 'seven-zip',
  'application/vnd.ms-tnef': 'tnef',
};

/** The streams of an OLE file that identify its format. */
const OLE_STREAMS: readonly (readonly [RegExp, string])[] = [
  [/^EncryptedPackage$/i, 'application/x-tika-ooxml-protected'],
  [/^__properties_version1\.0$/, 'application/vnd.ms-outlook'],
  [/^WordDocument$/i, 'application/msword'],
  [/^(Workbook|Book)$/i, 'application/vnd.ms-excel'],
  [/^PowerPoint Document$/i, 'application/vnd.ms-powerpoint'],
];

/** The entries that identify an Office file whose first entry is a different one. */
const ZIP_ENTRIES: readonly (readonly [string, string])[] = [
  ['xl/workbook.bin', 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
  ['xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['word/document.xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['ppt/presentation.xml', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

/** A file that begins with this is a page, even if it has a few bytes that no text has. */
const HTML_START = /^\s*(<!doctype\s+html|<(html|head|body|frameset)[\s>])/i;

/** The text that decides between HTML, mail and plain text. */
const SAMPLE_BYTES = 8192;
/** A shorter file with a byte 0 is no text. */
const FEWEST_BYTES = 200;

/**
 * Detects the type of a file by its content. The name and the named type only decide between formats whose content is
 * plain text.
 */
export async function detectType(
  bytes: Uint8Array,
  name: string | undefined,
  named: string | undefined,
): Promise<DetectedType> {
  if (bytes.length === 0) return OCTETS;
  const found = await fileTypeFromBuffer(bytes);
  if (isTnef(bytes)) return known('application/vnd.ms-tnef');
  if (found?.ext === 'cfb') return known(await oleType(bytes));
  if (found?.mime === 'application/zip') return known(zipType(bytes));
  if (found?.mime.startsWith('text/')) return { mediaType: found.mime, format: BY_TYPE[found.mime] ?? 'text' };
  if (found !== undefined && found.mime !== 'application/xml') return known(found.mime);
  if (isOldExcel(bytes)) return known('application/vnd.ms-excel');
  const text = sampleOf(bytes);
  if (text === undefined) return OCTETS;
  if (text.startsWith('{\\rtf')) return known('application/rtf');
  if (isHtml(text, name)) return known(/<html[^>]+\sxmlns\s*=/i.test(text) ? 'application/xhtml+xml' : 'text/html');
  if (isMail(text)) return known(text.startsWith('From ') ? 'application/mbox' : 'message/rfc822');
  if (/^\s*<(\?xml|!DOCTYPE|[a-z][\w:.-]*(\s+[\w:.-]+\s*=|\s*\/?>))/i.test(text) && /<\/|\/>|\?>/.test(text)) {
    return /<office:document[\s>]/.test(text) ? flatOdf(text) : known('application/xml');
  }
  const [type = ''] = (named ?? '').toLowerCase().split(';');
  const isTextType = type.startsWith('text/') || /[/+](json|xml|javascript|x-yaml|x-sh)$/.test(type);
  return { mediaType: isTextType ? type : 'text/plain', format: type === 'text/html' ? 'html' : 'text' };
}

function known(mediaType: string): DetectedType {
  return { mediaType, format: BY_TYPE[mediaType] };
}

async function oleType(bytes: Uint8Array): Promise<string> {
  const file = await OleFile.open(bytes);
  const names = [...file.streams.keys()];
  const found = OLE_STREAMS.find(([stream]) => names.some((name) => stream.test(name)));
  return found?.[1] ?? 'application/x-tika-msoffice';
}

function zipType(bytes: Uint8Array): string {
  const names = zipDirectory(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!names.includes('[Content_Types].xml')) return 'application/zip';
  return ZIP_ENTRIES.find(([entry]) => names.includes(entry))?.[1] ?? 'application/zip';
}

/** Where the end of the directory of a zip file says where the directory begins. */
const DIRECTORY_OFFSET = 16;

/**
 * Returns the directory of a zip file, with the names of its entries. An Office file that is stored in it without
 * compression has the same names. Without a directory, as in a truncated file, the whole file is searched.
 */
function zipDirectory(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('PK\x05\x06');
  if (end < 0 || end + DIRECTORY_OFFSET + 4 > bytes.length) return bytes;
  const start = bytes.readUInt32LE(end + DIRECTORY_OFFSET);
  return start < end ? bytes.subarray(start, end) : bytes;
}

/** The mail format of Outlook, as a rule in a file winmail.dat, begins with a number of four bytes. */
function isTnef([first, second, third, fourth]: Uint8Array): boolean {
  return first === 0x78 && second === 0x9f && third === 0x3e && fourth === 0x22;
}

/** Excel 2 to 4 begin with a record and its size. */
function isOldExcel([first, second, third, fourth]: Uint8Array): boolean {
  return (
    first === 0x09 && (second === 0 || second === 2 || second === 4) && (third === 4 || third === 6) && fourth === 0
  );
}

function flatOdf(text: string): DetectedType {
  const [, mediaType = 'application/vnd.oasis.opendocument.text'] = /office:mimetype="([^"]+)"/.exec(text) ?? [];
  return { mediaType, format: 'flat-odf' };
}

/** Returns the start of a file as text; undefined if it is binary. */
function sampleOf(bytes: Uint8Array): string | undefined {
  const sample = Buffer.from(bytes.subarray(0, SAMPLE_BYTES));
  const encoding = markOf(bytes) ?? unmarkedEncoding(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (encoding !== undefined) return decodedBy(sample, encoding).text;
  if (HTML_START.test(sample.toString('latin1'))) return sample.toString('utf8');
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0 && sample.length < FEWEST_BYTES) return undefined;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) controls++;
  }
  // Text may have a stray control character, also U+0000 in a log, but not many.
  if (controls > sample.length / 100) return undefined;
  return sample.toString('utf8');
}

function isHtml(text: string, name: string | undefined): boolean {
  const start = text.replace(/^(\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/i, '');
  if (HTML_START.test(start)) return true;
  return /\.x?html?$/i.test(name ?? '') && /<[a-z][a-z0-9]*[\s>/]/i.test(text);
}

/** A mail begins with headers, and some of them are only in mails. */
function isMail(text: string): boolean {
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lines = head.split(/\r?\n/).filter((line, i) => !(i === 0 && line.startsWith('From ')));
  if (!lines.every((line) => /^([!-9;-~]+:|[ \t])/.test(line))) return false;
  const names = new Set(lines.map((line) => line.split(':', 1)[0]?.toLowerCase()));
  const typical = [
    'from',
    'to',
    'subject',
    'date',
    'received',
    'message-id',
    'mime-version',
    'return-path',
    'delivered-to',
  ];
  return typical.filter((header) => names.has(header)).length >= 2;
}
