const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
/** Matches several base64 texts in sequence, each with its padding. */
const SEVERAL = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/** Decodes one standard base64 text or several in sequence. Returns undefined for other texts, and without padding. */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length % 4 !== 0) return undefined;
  if (STANDARD.test(compact)) return Buffer.from(compact, 'base64');
  if (!SEVERAL.test(compact)) return undefined;
  return Buffer.concat((compact.match(/[^=]+=*/g) ?? []).map((one) => Buffer.from(one, 'base64')));
}
