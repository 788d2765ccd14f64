const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes that a text in standard base64 stands for, white space aside; undefined when it is none, or lacks padding. */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  return compact.length % 4 === 0 && STANDARD.test(compact) ? Buffer.from(compact, 'base64') : undefined;
}
