import { isSecretKey, MASK } from '@headrace/engine';

/** Names of query parameters that carry access in signed URLs of the clouds, beside those that sound secret. */
const SIGNATURES = /^(sig|signature|x-amz-signature|x-amz-credential|x-goog-signature|x-goog-credential)$/i;

/** A URL for messages: without user and password, secrets in its query masked. */
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
