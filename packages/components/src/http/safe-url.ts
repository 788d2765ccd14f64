import { isSecretKey, MASK } from '@headrace/engine';

/** Query parameters of signed cloud URLs that are secrets, in addition to those that `isSecretKey` recognizes. */
const SIGNATURES = /^(sig|signature|x-amz-signature|x-amz-credential|x-goog-signature|x-goog-credential)$/i;

/** Returns a URL for messages: without user and password, and with masked secrets in its query. */
export function safeUrl(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/\/[^/?#]*@/, '//');
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  for (const name of [...parsed.searchParams.keys()]) {
    if (isSecretKey(name) || SIGNATURES.test(name)) parsed.searchParams.set(name, MASK);
  }
  return parsed.href;
}
