import { HeadraceError } from '@headrace/engine';

/**
 * Returns the error for a library without a private part that Headrace uses, because it is installed in another version.
 * See docs/contributing/libraries.md.
 */
export function unsupportedLibrary(name: string, part: string): HeadraceError {
  return new HeadraceError('HR_LIBRARY_VERSION', `The installed version of ${name} cannot be used: it has no ${part}`, {
    hint: `Run npm ls ${name}, and remove what asks for another version than Headrace, such as an override in package.json.`,
  });
}
