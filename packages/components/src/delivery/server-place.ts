import { withoutEndSlashes } from '../http/without-end-slashes.ts';

/**
 * Returns the place of an output (see `Output`) from the addresses of its server: in one spelling and order, without
 * credentials. What the server says about itself does not count: another server could say the same, and would then get
 * the changes of its runs.
 */
export function serverPlace(kind: string, urls: readonly string[]): string {
  const addresses = urls.map((url) => {
    const parsed = URL.parse(url);
    if (parsed === null) return url.toLowerCase();
    return withoutEndSlashes(`${parsed.protocol}//${parsed.host}${parsed.pathname}`);
  });
  return `${kind} ${[...new Set(addresses)].toSorted().join(', ')}`;
}
