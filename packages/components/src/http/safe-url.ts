import { maskText } from '@headrace/engine';
import { withoutEndSlashes } from './without-end-slashes.ts';

/**
 * Returns a URL for messages: without user and password, and with masked values except those of harmless parameters.
 * Use `addressOf` to compare addresses.
 */
export function safeUrl(url: string): string {
  if (!URL.canParse(url)) return maskText(withoutUsers(url));
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return maskText(parsed.href);
}

/**
 * Returns the address of a server, to compare it with others: in one spelling, without credentials and parameters. Any
 * other text, such as a path, stays as it is.
 */
export function addressOf(text: string): string {
  if (!text.includes('://')) return text;
  const [, driver = '', url = ''] = /^(jdbc:)?(.*)$/is.exec(text) ?? [];
  const parsed = URL.parse(url);
  if (parsed === null) {
    const plain = withoutParameters(withoutUsers(url));
    return URL.canParse(plain) ? addressOf(driver + plain) : driver + plain;
  }
  const { protocol, host, pathname } = parsed;
  const address = withoutParameters(`${protocol}//${host.toLowerCase()}${pathname}`);
  return withoutEndSlashes(driver.toLowerCase() + address);
}

/** Removes the users and passwords from a URL that cannot be parsed, because of its password or its several hosts. */
function withoutUsers(url: string): string {
  return url.replace(/(?<=:\/\/)[^/\s]*/g, (hosts) => hosts.replace(/^[^@]*@|(?<=,)[^,@]*@/g, ''));
}

function withoutParameters(url: string): string {
  return url.replace(/[?;#].*$/s, '');
}
