import { expect, it } from 'vitest';
import { safeUrl } from './safe-url.ts';

it.each([
  ['http://user:secret@host:9200/path?q=a+b', 'http://host:9200/path?q=a+b'],
  ['https://host/?apiKey=topsecret&page=1', 'https://host/?apiKey=MASK&page=1'],
  ['https://host/?code=topsecret&subscription-key=topsecret', 'https://host/?code=MASK&subscription-key=MASK'],
  ['https://hooks.chat/services/T0/topsecret', 'https://hooks.chat/MASK'],
  [
    'https://bucket/x?X-Amz-Credential=topsecret&X-Amz-Signature=topsecret',
    'https://bucket/x?X-Amz-Credential=MASK&X-Amz-Signature=MASK',
  ],
  ['https://blob/x?sv=1&sig=topsecret', 'https://blob/x?sv=1&sig=MASK'],
  ['http://user:secret@ho st/x', 'http://ho st/x'],
  ['nonsense', 'nonsense'],
])('%s', (url, expected) => {
  const safe = safeUrl(url);
  expect(safe).not.toMatch(/secret/);
  expect(safe).toMatch(new RegExp(`^${expected.replace(/[?+.]/g, '\\$&').replaceAll('MASK', '[^&]+')}$`));
});
