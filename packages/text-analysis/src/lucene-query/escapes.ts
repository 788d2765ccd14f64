import { QuerySyntaxError } from './query-syntax-error.ts';

/**
 * Resolves the escapes of a text: a backslash makes the next character literal, and `\u` with four digits is a UTF-16
 * unit.
 */
export function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  let plain = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') {
      plain += text[i];
      continue;
    }
    i++;
    if (i === text.length) throw new QuerySyntaxError('a term cannot end with the escape character \\');
    if (text[i] !== 'u') {
      plain += text[i];
      continue;
    }
    const digits = text.slice(i + 1, i + 5);
    if (!/^[0-9a-f]{4}$/i.test(digits))
      throw new QuerySyntaxError(`\\u needs four hexadecimal digits, not "${digits}"`);
    plain += String.fromCharCode(Number.parseInt(digits, 16));
    i += 4;
  }
  return plain;
}
