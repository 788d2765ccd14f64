import { createRequire } from 'node:module';
import type { FormatReader } from './format.ts';
import { addHtml } from './html.ts';
import { addressOf, isoDate, type ReadAttachment } from './mail.ts';

/** The parts of the library's result that are used. */
interface OutlookMessage {
  readonly error?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly bodyHtml?: string;
  readonly html?: Uint8Array;
  readonly senderName?: string;
  readonly senderEmail?: string;
  readonly messageDeliveryTime?: string;
  readonly clientSubmitTime?: string;
  readonly recipients?: readonly { readonly name?: string; readonly email?: string; readonly recipType?: string }[];
  readonly attachments?: readonly { readonly fileName?: string }[];
}

/** Returns the reader of mails that Outlook saved (MSG). */
export function outlookReader(readAttachment: ReadAttachment): FormatReader {
  return async ({ bytes, depth, budget }, to) => {
    const library = createRequire(import.meta.url)('@kenjiuno/msgreader') as {
      default: new (
        bytes: ArrayBuffer,
      ) => {
        getFileData(): OutlookMessage;
        getAttachment(attachment: object): { readonly fileName: string; readonly content: Uint8Array };
      };
    };
    const reader = new library.default(Uint8Array.from(bytes).buffer);
    const message = reader.getFileData();
    if (message.error !== undefined) throw new Error(message.error);
    const sender = addressOf({ name: message.senderName ?? '', address: message.senderEmail });
    to.describe('dc:title', message.subject);
    to.describe('dc:subject', message.subject);
    to.describe('dc:creator', sender);
    to.describe('Message-From', sender);
    for (const { name = '', email, recipType } of message.recipients ?? []) {
      to.describe(recipType === 'cc' ? 'Message-Cc' : 'Message-To', addressOf({ name, address: email }));
    }
    to.describe('dcterms:created', isoDate(message.clientSubmitTime ?? message.messageDeliveryTime));
    if (message.body?.trim()) to.add({ kind: 'lines', text: message.body });
    else if (message.bodyHtml !== undefined) addHtml(message.bodyHtml, to);
    else if (message.html !== undefined) addHtml(Buffer.from(message.html).toString('utf8'), to);
    for (const attachment of message.attachments ?? []) {
      const { fileName, content } = reader.getAttachment(attachment);
      budget.take(content.length);
      await readAttachment({ bytes: content, name: fileName, depth: depth + 1, budget }, to);
    }
  };
}
