import { createRequire } from 'node:module';
import iconv from 'iconv-lite';
import type { Extraction } from '../blocks/blocks.ts';
import type { FileInput, FormatReader } from './format.ts';
import { addHtml, addPicturesOf } from './html.ts';
import { describeInnerMail } from './inner-mail.ts';
import { addressOf, isoDate } from './mail.ts';
import { Pictures } from './pictures.ts';
import { readRtf } from './rtf.ts';

/** The parts of the library's result that are used. */
interface OutlookMessage {
  readonly error?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly bodyHtml?: string;
  readonly html?: Uint8Array;
  readonly messageCodepage?: number;
  readonly internetCodepage?: number;
  readonly compressedRtf?: Uint8Array;
  readonly senderName?: string;
  readonly senderEmail?: string;
  readonly messageDeliveryTime?: string;
  readonly clientSubmitTime?: string;
  readonly recipients?: readonly { readonly name?: string; readonly email?: string; readonly recipType?: string }[];
  readonly attachments?: readonly { readonly fileName?: string }[];
}

/** Reads mails that Outlook saved (MSG). */
export const readOutlook: FormatReader = async (input, to) => {
  const { bytes, budget, readInner } = input;
  const library = createRequire(import.meta.url)('@kenjiuno/msgreader') as {
    default: new (
      bytes: ArrayBuffer,
    ) => {
      parserConfig?: { ansiEncoding?: string };
      getFileData(): OutlookMessage;
      getAttachment(attachment: object): { readonly fileName: string; readonly content: Uint8Array };
    };
  };
  let reader = new library.default(Uint8Array.from(bytes).buffer);
  let message = reader.getFileData();
  const page = message.messageCodepage ?? message.internetCodepage;
  if (page !== undefined && iconv.encodingExists(`cp${page}`)) {
    // Create another reader for the code page: a reader returns its first result again.
    reader = new library.default(Uint8Array.from(bytes).buffer);
    reader.parserConfig = { ansiEncoding: `cp${page}` };
    message = reader.getFileData();
  }
  if (message.error !== undefined) throw new Error(message.error);
  const sender = addressOf({ name: message.senderName ?? '', address: message.senderEmail });
  describeInnerMail(input, message.subject, to);
  to.describe('dc:title', message.subject);
  to.describe('dc:subject', message.subject);
  to.describe('dc:description', message.subject);
  to.describe('dc:creator', message.senderName || sender);
  to.describe('Message-From', message.senderName || sender);
  to.describe('Message:From-Name', message.senderName);
  to.describe('Message:From-Email', message.senderEmail);
  for (const { name = '', email, recipType } of message.recipients ?? []) {
    to.describe(
      recipType === 'cc' ? 'Message-Cc' : 'Message-To',
      email === name ? email : addressOf({ name, address: email }),
    );
  }
  to.describe('dcterms:created', isoDate(message.clientSubmitTime ?? message.messageDeliveryTime));
  const html =
    message.bodyHtml ?? (message.html === undefined ? undefined : Buffer.from(message.html).toString('utf8'));
  const pictures = new Pictures(to, budget);
  if (message.body?.trim()) {
    to.add({ kind: 'lines', text: message.body });
    addPicturesOf(html, pictures);
  } else if (html !== undefined) addHtml(html, to, pictures);
  else if (message.compressedRtf !== undefined) await addCompressedRtf(input, message.compressedRtf, to);
  for (const attachment of message.attachments ?? []) {
    const { fileName, content } = reader.getAttachment(attachment);
    budget.take(content.length);
    await readInner(content, fileName, to);
  }
};

/** Some mails have their text only in Outlook's own format. */
export async function addCompressedRtf(input: FileInput, compressed: Uint8Array, to: Extraction): Promise<void> {
  const { decompressRTF } = createRequire(import.meta.url)('@kenjiuno/decompressrtf') as {
    decompressRTF(bytes: readonly number[]): number[];
  };
  await readRtf({ ...input, bytes: Uint8Array.from(decompressRTF([...compressed])) }, to);
}
