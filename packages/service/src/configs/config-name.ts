import { ApiError } from '../errors/api-error.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FILE = /\.(conf|json|hocon)$/i;
/** Words that stand where an id may stand, or that are told instead of one. */
const RESERVED = new Set(['validate', 'inline']);

/** Whether a text is an id that the service has given, or could have. */
export function isConfigId(text: string): boolean {
  return UUID.test(text);
}

/** Refuses a name that could be taken for something else wherever an id may stand. */
export function checkConfigName(name: string): void {
  const wrong = wrongName(name);
  if (wrong === undefined) return;
  throw new ApiError('HR_REQUEST_INVALID', `${JSON.stringify(name)} is no name for a config: ${wrong}`, {
    hint: 'Take 1 to 100 letters, digits, dots, hyphens and underscores, the first one a letter or digit.',
  });
}

function wrongName(name: string): string | undefined {
  if (!NAME.test(name)) return 'it is too long, or has characters that are not allowed';
  if (isConfigId(name)) return 'it looks like an id';
  if (FILE.test(name)) return 'it looks like the file of a preset';
  return RESERVED.has(name.toLowerCase()) ? 'the word has a meaning of its own' : undefined;
}

/** The longest id or preset name in a path: what a file name can be. */
export const MAX_ID_LENGTH = 255;
