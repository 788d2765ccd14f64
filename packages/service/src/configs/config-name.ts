import { ApiError } from '../errors/api-error.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FILE = /\.(conf|json|hocon)$/i;
/** Words that have a meaning in places where a client may give an id, or that the API shows in place of an id. */
const RESERVED = new Set(['validate', 'inline']);

/** Whether a text has the form of the ids that the service gives. */
export function isConfigId(text: string): boolean {
  return UUID.test(text);
}

/** Refuses a name that could be mistaken for something else where the API takes an id. */
export function checkConfigName(name: string): void {
  const wrong = wrongName(name);
  if (wrong === undefined) return;
  throw new ApiError('HR_REQUEST_INVALID', `${JSON.stringify(name)} is not a valid name for a config: ${wrong}`, {
    hint: 'Use 1 to 100 letters, digits, dots, hyphens and underscores. Start with a letter or digit.',
  });
}

function wrongName(name: string): string | undefined {
  if (!NAME.test(name)) return 'it is too long, or has characters that are not allowed';
  if (isConfigId(name)) return 'it looks like an id';
  if (FILE.test(name)) return 'it looks like the file name of a preset';
  return RESERVED.has(name.toLowerCase()) ? 'the word is reserved' : undefined;
}

/** The maximum length of an id or preset name in a path, which is the maximum length of a file name. */
export const MAX_ID_LENGTH = 255;
