import { addressOf } from '../http/safe-url.ts';

/**
 * Returns the place of an output (see `Output`) from the addresses of its server. What the server says about itself does
 * not count: another server could say the same, and would then get the changes of its runs.
 */
export function serverPlace(kind: string, urls: readonly string[]): string {
  const addresses = urls.map((url) => (url.includes('://') ? addressOf(url) : url.toLowerCase()));
  return `${kind} ${[...new Set(addresses)].toSorted().join(', ')}`;
}
