import { ApiError } from '../errors/api-error.ts';

/**
 * Returns the entity tag of a config. It contains the version, because the digest alone does not change when only a
 * secret changes.
 */
export function configTag({ version, digest }: { version: number | null; digest: string }): string {
  return version === null ? `"${digest.slice(0, 16)}"` : `"${version}-${digest.slice(0, 16)}"`;
}

/** The conditions of a write request: its headers `If-Match` and `If-None-Match`. */
export interface Preconditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * Returns whether a header with a list of tags, or `*`, contains this tag. The comparison is weak, because proxies
 * weaken tags.
 */
export function namesTag(header: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

/**
 * Refuses a write if the config does not meet the preconditions.
 * @param tag the current tag of the config; undefined if the config does not exist
 */
export function checkPreconditions({ ifMatch, ifNoneMatch }: Preconditions, tag: string | undefined): void {
  if (ifMatch !== undefined && !namesTag(ifMatch, tag)) {
    const message =
      tag === undefined ? 'The config does not exist any more' : `The config has changed: its tag is ${tag}`;
    throw new ApiError('HR_CONFIG_CHANGED', message, {
      hint: 'Get the config again, apply your change to it, and send it with the new tag as If-Match.',
    });
  }
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, tag)) {
    throw new ApiError('HR_CONFIG_CHANGED', `The config already exists: its tag is ${tag}`, {
      hint: 'Send the request without If-None-Match to replace it.',
    });
  }
}
