import { maskText } from '@headrace/engine';

/** Returns a URL for messages: without user and password, and with masked values except those of harmless parameters. */
export function safeUrl(url: string): string {
  if (!URL.canParse(url)) return maskText(url.replace(/\/\/[^/?#]*@/, '//'));
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return maskText(parsed.href);
}
