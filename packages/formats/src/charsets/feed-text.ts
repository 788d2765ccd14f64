import { charsetDecoder } from './charset.ts';

/**
 * Decodes a feed. The charset is that of a byte-order mark, or else of the `Content-Type` header, or else of the XML
 * declaration, or else UTF-8 (RFC 7303). An unknown charset is ignored.
 */
export function feedText(bytes: Uint8Array, contentType: string | undefined): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200));
  const named = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1];
  // The declaration of a UTF-16 feed is readable after its zero bytes are removed.
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/.exec(
    start.toString('latin1').replaceAll('\0', ''),
  )?.[1];
  for (const charset of [markedCharset(start), named, declared, 'utf-8']) {
    const decoder = charset === undefined ? undefined : charsetDecoder(charset);
    if (decoder !== undefined) return decoder.decode(bytes, false).replace(/^\ufeff/, '');
  }
  return '';
}

function markedCharset(start: Buffer): string | undefined {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return 'utf-8';
  if ((start[0] === 0xfe && start[1] === 0xff) || (start[0] === 0xff && start[1] === 0xfe)) return 'utf-16';
  return undefined;
}
