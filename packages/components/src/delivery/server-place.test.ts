import { expect, it } from 'vitest';
import { serverPlace } from './server-place.ts';

it('the place of a server is the same in each spelling and order of its addresses, and has no credentials', () => {
  const place = 'search engine http://a, https://b:9200/x';
  expect(serverPlace('search engine', ['https://me:secret@B:9200/x/?key=secret', 'http://A:80'])).toBe(place);
  expect(serverPlace('search engine', ['http://a/', 'https://b:9200/x', 'http://a'])).toBe(place);
  expect(serverPlace('search engine', ['http://a'])).not.toBe(place);
});
