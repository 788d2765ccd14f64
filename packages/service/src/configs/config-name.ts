import { ApiError } from '../errors/api-error.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FILE = /\.(conf|json|hocon)$/i;
/** Reserved words: the API and the web application use them in paths, or show them in place of a config id. */
const RESERVED = new Set(['validate', 'inline', 'new']);

/** Returns whether a text has the format of the config ids of the service. */
export function isConfigId(text: string): boolean {
  return UUID.test(text);
}

/** Refuses a name that the API could confuse with a config id, a preset or a reserved word. */
export function checkConfigName(name: string): void {
  const wrong = wrongName(name);
  if (wrong === undefined) return;
  throw new ApiError('HR_REQUEST_INVALID', `${JSON.stringify(name)} is not a valid name for a config: ${wrong}`, {
    hint: 'Use 1 to 100 letters, digits, dots, hyphens and underscores. Start with a letter or digit.',
  });
}

function wrongName(name: string): string | undefined {
  if (!NAME.test(name)) return 'it is too long, or contains characters that are not allowed';
  if (isConfigId(name)) return 'it looks like an id';
  if (FILE.test(name)) return 'it looks like the file name of a preset';
  return RESERVED.has(name.toLowerCase()) ? 'the word is reserved' : undefined;
}

/** The maximum length of an id or preset name in a path, which is the maximum length of a file name. */
export const MAX_ID_LENGTH = 255;
