import { decodedBy } from './charset.ts';
import type { FormatReader } from './format.ts';
import { addHtml } from './html.ts';
import { describeInnerMail } from './inner-mail.ts';
import { addCompressedRtf } from './outlook.ts';
import { Pictures } from './pictures.ts';

/** The attributes that are read. (Source: MS-OXTNEF, 2.1.3.) */
const SUBJECT = 0x8004;
const BODY = 0x800c;
const ATTACHMENT_DATA = 0x800f;
const ATTACHMENT_TITLE = 0x8010;
const ATTACHMENT_START = 0x9002;
const PROPERTIES = 0x9003;
const ATTACHMENT_PROPERTIES = 0x9005;
const CODE_PAGE = 0x9007;

/** The properties that are read. (Source: MS-OXPROPS.) */
const PR_SUBJECT = 0x0037;
const PR_SENDER_NAME = 0x0c1a;
const PR_SENDER_EMAIL = 0x0c1f;
const PR_BODY = 0x1000;
const PR_RTF_COMPRESSED = 0x1009;
const PR_HTML = 0x1013;
const PR_ATTACH_DATA = 0x3701;
const PR_ATTACH_FILENAME = 0x3704;
const PR_ATTACH_LONG_FILENAME = 0x3707;

/** The types of properties whose size varies. */
const OBJECT = 0x0d;
const STRING8 = 0x1e;
const UNICODE = 0x1f;
const BINARY = 0x102;
/** The sizes of the values of the other types. A value takes a multiple of four bytes. */
const SIZES: ReadonlyMap<number, number> = new Map([
  [0x01, 4],
  [0x02, 4],
  [0x03, 4],
  [0x04, 4],
  [0x05, 8],
  [0x06, 8],
  [0x07, 8],
  [0x0a, 4],
  [0x0b, 4],
  [0x14, 8],
  [0x40, 8],
  [0x48, 16],
]);
const SEVERAL = 0x1000;
/** Properties from this number on have a name. */
const NAMED = 0x8000;
/** The class of an object precedes its content. */
const CLASS_BYTES = 16;
const HEADER_BYTES = 6;
const ATTRIBUTE_BYTES = 9;

interface Attachment {
  name: string | undefined;
  bytes: Uint8Array | undefined;
}

/** Reads mails in the format of Outlook that servers send as winmail.dat: the text, and the attached files. */
export const readTnef: FormatReader = async (input, to) => {
  const { bytes, budget, readInner } = input;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mail = new Map<number, string | Uint8Array>();
  const attachments: Attachment[] = [];
  let page = 'windows-1252';
  let isCut = false;
  const text = (part: Buffer) => decodedBy(part, page).text.replace(/\0+$/, '');
  for (let at = HEADER_BYTES; at < data.length; ) {
    if (at + ATTRIBUTE_BYTES > data.length || at + ATTRIBUTE_BYTES + data.readUInt32LE(at + 5) > data.length) {
      isCut = true;
      break;
    }
    const id = data.readUInt16LE(at + 1);
    const size = data.readUInt32LE(at + 5);
    const content = data.subarray(at + ATTRIBUTE_BYTES, at + ATTRIBUTE_BYTES + size);
    // A checksum follows.
    at += ATTRIBUTE_BYTES + size + 2;
    const attachment = attachments.at(-1);
    if (id === CODE_PAGE) page = pageOf(content.readUInt32LE(0));
    else if (id === SUBJECT) mail.set(PR_SUBJECT, text(content));
    else if (id === BODY) mail.set(PR_BODY, text(content));
    else if (id === PROPERTIES) for (const [key, value] of propertiesOf(content, text)) mail.set(key, value);
    else if (id === ATTACHMENT_START) attachments.push({ name: undefined, bytes: undefined });
    else if (attachment === undefined) continue;
    else if (id === ATTACHMENT_TITLE) attachment.name = text(content);
    else if (id === ATTACHMENT_DATA) attachment.bytes = content;
    else if (id === ATTACHMENT_PROPERTIES) readAttachment(propertiesOf(content, text), attachment);
  }
  const known = (key: number) => {
    const value = mail.get(key);
    return typeof value === 'string' ? value : undefined;
  };
  describeInnerMail(input, known(PR_SUBJECT), to);
  to.describe('dc:title', known(PR_SUBJECT));
  to.describe('dc:subject', known(PR_SUBJECT));
  to.describe('dc:creator', known(PR_SENDER_NAME));
  to.describe('Message-From', known(PR_SENDER_NAME));
  to.describe('Message:From-Email', known(PR_SENDER_EMAIL));
  const body = known(PR_BODY);
  const html = mail.get(PR_HTML);
  const rtf = mail.get(PR_RTF_COMPRESSED);
  if (body?.trim()) to.add({ kind: 'lines', text: body });
  else if (html !== undefined)
    addHtml(typeof html === 'string' ? html : text(Buffer.from(html)), to, new Pictures(to, budget));
  else if (rtf instanceof Uint8Array) await addCompressedRtf(input, rtf, to);
  for (const { name, bytes: content } of attachments) {
    if (content === undefined) continue;
    budget.take(content.length);
    await readInner(content, name, to);
  }
  if (isCut) throw new Error('it ends inside of an attribute, so it is not complete');
};

function pageOf(codePage: number): string {
  return codePage === 65001 ? 'utf-8' : codePage === 0 ? 'windows-1252' : `cp${codePage}`;
}

function readAttachment(properties: ReadonlyMap<number, string | Uint8Array>, attachment: Attachment): void {
  const name = properties.get(PR_ATTACH_LONG_FILENAME) ?? properties.get(PR_ATTACH_FILENAME);
  if (typeof name === 'string' && name !== '') attachment.name = name;
  const data = properties.get(PR_ATTACH_DATA);
  if (data instanceof Uint8Array) attachment.bytes = data;
}

/** Returns the texts and the bytes of properties by their number. */
function propertiesOf(data: Buffer, textOf: (part: Buffer) => string): Map<number, string | Uint8Array> {
  const values = new Map<number, string | Uint8Array>();
  let at = 4;
  const take = (size: number) => {
    if (at + size > data.length) throw new Error('a property in it is cut off');
    at += size;
    return at - size;
  };
  const number = () => data.readUInt32LE(take(4));
  const padded = () => {
    const size = number();
    const start = take(size);
    at = Math.min(data.length, at + ((4 - (size % 4)) % 4));
    return data.subarray(start, start + size);
  };
  for (let left = data.readUInt32LE(0); left > 0 && at < data.length; left--) {
    const start = take(4);
    const type = data.readUInt16LE(start);
    const id = data.readUInt16LE(start + 2);
    if (id >= NAMED) {
      take(CLASS_BYTES);
      if (number() === 0) number();
      else padded();
    }
    const kind = type & ~SEVERAL;
    const size = SIZES.get(kind);
    const isVariable = size === undefined;
    if (isVariable && ![OBJECT, STRING8, UNICODE, BINARY].includes(kind))
      throw new Error('a property in it has an unknown type');
    const count = isVariable || (type & SEVERAL) !== 0 ? number() : 1;
    for (let i = 0; i < count; i++) {
      if (!isVariable) take(size);
      else {
        const value = padded();
        if (i > 0) continue;
        if (kind === UNICODE) values.set(id, value.toString('utf16le').replace(/\0+$/, ''));
        else if (kind === STRING8) values.set(id, textOf(value));
        else values.set(id, kind === OBJECT ? value.subarray(CLASS_BYTES) : value);
      }
    }
  }
  return values;
}
