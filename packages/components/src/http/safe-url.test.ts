import { expect, it } from 'vitest';
import { addressOf, safeUrl } from './safe-url.ts';

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

it.each([
  ['http://user:secret@Host:80/Path/?q=secret', 'http://host/Path'],
  ['https://user:se?cr;et#secret@host:9200', 'https://host:9200'],
  ['jdbc:postgresql://user:secret@Host:5432/db?password=secret', 'jdbc:postgresql://host:5432/db'],
  ['jdbc:sqlserver://host;user=u;password=secret', 'jdbc:sqlserver://host'],
  ['postgresql://a:1,b:2/db?user=u&password=secret', 'postgresql://a:1,b:2/db'],
  ['postgresql://u:sec,ret@a:1,b:2/db', 'postgresql://a:1,b:2/db'],
  ['b1:9092,b2:9092', 'b1:9092,b2:9092'],
  ['/data/out?;x//y.csv', '/data/out?;x//y.csv'],
])('%s is compared as %s', (text, address) => {
  expect(addressOf(text)).toBe(address);
});
