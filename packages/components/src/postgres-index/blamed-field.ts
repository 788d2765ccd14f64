/** PostgreSQL's error message for a NUL character. */
const NUL_ERROR = 'unsupported Unicode escape sequence';

/** The error message of pgvector for a vector with a wrong number of dimensions. */
const DIMENSIONS_ERROR = /expected (\d+) dimensions, not (\d+)/;

/**
 * Returns the field that caused an error of PostgreSQL, and what is wrong with it; undefined if it is unknown. The
 * server's message contains the value or the number of dimensions, or mentions a NUL character, but does not name the
 * column.
 * @param json the document
 */
export function blamedField(json: string, message: string): string | undefined {
  const fields = Object.entries(JSON.parse(json) as Record<string, unknown>);
  if (message.includes(NUL_ERROR)) {
    const [field] = fields.find(([, value]) => JSON.stringify(value).includes('\\u0000')) ?? [];
    return field === undefined ? undefined : `${field} contains a NUL character, which cannot be stored`;
  }
  const [, expected, found] = DIMENSIONS_ERROR.exec(message) ?? [];
  if (found !== undefined) {
    const field = only(fields, (value) => Array.isArray(value) && value.length === Number(found));
    const advice = `use the model that the column was made for, or a column for ${found} dimensions`;
    return field === undefined ? undefined : `${field} has ${found} numbers instead of ${expected}: ${advice}`;
  }
  const [, quoted] = /"(.*)"/s.exec(message) ?? [];
  if (quoted === undefined) return undefined;
  const field = only(fields, (value) => [value].flat().some((one) => textOf(one) === quoted));
  return field === undefined ? undefined : `${field} has this value`;
}

/** Returns the name of the only field whose value matches. */
function only(fields: readonly [string, unknown][], matches: (value: unknown) => boolean): string | undefined {
  const found = fields.filter(([, value]) => matches(value));
  return found.length === 1 ? found[0]?.[0] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
