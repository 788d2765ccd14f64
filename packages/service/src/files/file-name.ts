import { ApiError } from '../errors/api-error.ts';

/** One file name, not a path: no slash, no dot or space at its ends, nothing that a shell or HOCON reads specially. */
const NAME = /^\w(?:[\w. ()+-]{0,126}[\w)+-])?$/;

/** Refuses a name that is not usable for an uploaded file. */
export function checkFileName(name: string): void {
  if (NAME.test(name)) return;
  throw new ApiError('HR_REQUEST_INVALID', `${JSON.stringify(name)} is not a valid name for a file`, {
    hint: 'Use 1 to 128 letters, digits, dots, hyphens, underscores, spaces, plus signs and parentheses. Start with a letter or digit.',
  });
}
