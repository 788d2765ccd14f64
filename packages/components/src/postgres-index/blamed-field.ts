/** What the server says of a NUL character. */
export const NUL_ERROR = 'unsupported Unicode escape sequence';

/**
 * The field of a document that an error of PostgreSQL is about: the server names the value, or the NUL character that
 * it cannot store, and not the column. Undefined if it is unknown.
 * @param json the document
 */
export function blamedField(json: string, message: string): string | undefined {
  const fields = Object.entries(JSON.parse(json) as Record<string, unknown>);
  if (message.includes(NUL_ERROR)) {
    return fields.find(([, value]) => JSON.stringify(value).includes('\\u0000'))?.[0];
  }
  const [, quoted] = /"(.*)"/s.exec(message) ?? [];
  if (quoted === undefined) return undefined;
  const holders = fields.filter(([, value]) => [value].flat().some((one) => textOf(one) === quoted));
  return holders.length === 1 ? holders[0]?.[0] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
