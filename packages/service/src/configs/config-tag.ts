import { ApiError } from '../errors/api-error.ts';

/**
 * The entity tag of a config. It changes with every version. The digest alone would not: it hides the change of a
 * secret.
 */
export function configTag({ version, digest }: { version: number | null; digest: string }): string {
  return version === null ? `"${digest.slice(0, 16)}"` : `"${version}-${digest.slice(0, 16)}"`;
}

/** The state in which a request expects a config, from the headers of the same names. */
export interface Preconditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * Whether a header with a list of tags, or `*`, contains this tag. The comparison is weak, because proxies weaken tags.
 */
export function namesTag(header: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

/**
 * Refuses a write when the config is not in the expected state.
 * @param tag the current tag of the config; undefined if the config does not exist
 */
export function checkPreconditions({ ifMatch, ifNoneMatch }: Preconditions, tag: string | undefined): void {
  if (ifMatch !== undefined && !namesTag(ifMatch, tag)) {
    const message =
      tag === undefined ? 'There is no such config any more' : `The config has changed: its tag is ${tag}`;
    throw new ApiError('HR_CONFIG_CHANGED', message, {
      hint: 'Get the config again, apply your change to it, and send it with the new tag as If-Match.',
    });
  }
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, tag)) {
    throw new ApiError('HR_CONFIG_CHANGED', `The config exists already: its tag is ${tag}`, {
      hint: 'Leave out If-None-Match to replace it.',
    });
  }
}
