import { ApiError } from '../errors/api-error.ts';

/** The entity tag of a config: it changes with every version, even where only a secret changed, which the digest hides. */
export function configTag({ version, digest }: { version: number | null; digest: string }): string {
  return version === null ? `"${digest.slice(0, 16)}"` : `"${version}-${digest.slice(0, 16)}"`;
}

/** What a request says of the state in which it expects a config: the headers of the same names. */
export interface Preconditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/** Whether a header with tags, or `*`, names this one. Tags are compared weakly: proxies weaken them. */
export function namesTag(header: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

/**
 * Refuses a write when the config is not in the state that was expected.
 * @param tag of the config as it is; undefined when there is none
 */
export function checkPreconditions({ ifMatch, ifNoneMatch }: Preconditions, tag: string | undefined): void {
  if (ifMatch !== undefined && !namesTag(ifMatch, tag)) {
    const message =
      tag === undefined ? 'There is no such config any more' : `The config has changed: its tag is ${tag}`;
    throw new ApiError('HR_CONFIG_CHANGED', message, {
      hint: 'Get the config again, put your change into that one, and send it with its tag as If-Match.',
    });
  }
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, tag)) {
    throw new ApiError('HR_CONFIG_CHANGED', `The config is there already: its tag is ${tag}`, {
      hint: 'Leave out If-None-Match to replace it.',
    });
  }
}
