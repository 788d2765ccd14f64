/** PostgreSQL's error message for a NUL character. */
export const NUL_ERROR = 'unsupported Unicode escape sequence';

/**
 * Returns the field that caused an error of PostgreSQL; undefined if it is unknown. The server's message contains the
 * value, or mentions a NUL character, but does not name the column.
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
