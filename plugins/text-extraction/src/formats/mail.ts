import type { FormatReader } from './format.ts';
import { addHtml, addPicturesOf } from './html.ts';
import { describeInnerMail } from './inner-mail.ts';
import { Pictures } from './pictures.ts';

/** Reads mails in the format of RFC 822. */
export const readMail: FormatReader = async (input, to) => {
  const { bytes, budget, readInner } = input;
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(Uint8Array.from(bytes).buffer, {
    attachmentEncoding: 'arraybuffer',
    // A mail inside the mail is read as a file, so that its subject and its own attachments are found.
    forceRfc822Attachments: true,
  });
  describeInnerMail(input, mail.subject, to);
  to.describe('dc:title', mail.subject);
  to.describe('dc:subject', mail.subject);
  to.describe('dc:creator', addressOf(mail.from));
  to.describe('Message-From', addressOf(mail.from));
  to.describe('Message:From-Name', mail.from?.name);
  to.describe('Message:From-Email', mail.from?.address);
  for (const address of mail.to ?? []) to.describe('Message-To', addressOf(address));
  for (const address of mail.cc ?? []) to.describe('Message-Cc', addressOf(address));
  to.describe('dcterms:created', isoDate(mail.date));
  to.describe('Message:Raw-Header:Message-ID', mail.messageId);
  const pictures = new Pictures(to, budget);
  if (mail.text?.trim()) {
    to.add({ kind: 'lines', text: mail.text });
    addPicturesOf(mail.html, pictures);
  } else if (mail.html !== undefined) addHtml(mail.html, to, pictures);
  for (const { content, filename, mimeType } of mail.attachments) {
    const inner = new Uint8Array(content as ArrayBuffer);
    budget.take(inner.length);
    if (mimeType.startsWith('image/')) to.addImage({ name: filename ?? 'image', mediaType: mimeType, bytes: inner });
    else await readInner(inner, filename ?? undefined, to);
  }
};

interface Address {
  readonly name?: string;
  readonly address?: string | undefined;
}

/** Returns an address as `Name <name@example.org>`. */
export function addressOf(address: Address | undefined): string | undefined {
  if (address === undefined) return undefined;
  const { name = '', address: mail = '' } = address;
  if (name === '' || mail === '') return name || mail;
  return `${name} <${mail}>`;
}

export function isoDate(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace('.000Z', 'Z');
}
