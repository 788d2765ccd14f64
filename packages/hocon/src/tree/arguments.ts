/** The error for a wrong call: an argument of the wrong type, or an unknown option. */
export class ArgumentError extends TypeError {
  override name = 'ArgumentError';
  readonly code = 'bad-argument';
}

/**
 * Checks that an argument is a string.
 * @throws ArgumentError if it is not
 */
export function checkText(text: unknown, name: string): asserts text is string {
  if (typeof text === 'string') return;
  const hint = text instanceof Uint8Array ? '; decode the bytes first, as in new TextDecoder().decode(bytes)' : '';
  throw new ArgumentError(`${name} must be a string, not ${inWords(text)}${hint}`);
}

/** Returns a description of a value for messages. */
export function inWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'an array';
  const name = value.constructor?.name;
  return name === undefined || name === 'Object' ? 'this object' : `a ${name}`;
}
