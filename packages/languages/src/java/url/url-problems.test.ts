import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { javaUrlProblem } from './url-problems.ts';

describe('the Java exception for an invalid URL', () => {
  it.each([
    ['abc', 'java.net.MalformedURLException no protocol: abc'],
    [' abc', 'java.net.MalformedURLException no protocol:  abc'],
    ['', 'java.net.MalformedURLException no protocol: '],
    ['/path', 'java.net.MalformedURLException no protocol: /path'],
    ['//host/path', 'java.net.MalformedURLException no protocol: //host/path'],
    ['1a://host', 'java.net.MalformedURLException no protocol: 1a://host'],
    ['foo://host', 'java.net.MalformedURLException unknown protocol: foo'],
    ['FOO://host', 'java.net.MalformedURLException unknown protocol: foo'],
    ['localhost:8080/x', 'java.net.MalformedURLException unknown protocol: localhost'],
    ['http://h/a b', 'java.net.URISyntaxException Illegal character in path at index 10: http://h/a b'],
    ['http://h/?q=a|b', 'java.net.URISyntaxException Illegal character in query at index 13: http://h/?q=a|b'],
    ['http://h/#a"b', 'java.net.URISyntaxException Illegal character in fragment at index 11: http://h/#a"b'],
    ['http://h/#a#b', 'java.net.URISyntaxException Illegal character in fragment at index 11: http://h/#a#b'],
    ['http://a b/', 'java.net.URISyntaxException Illegal character in authority at index 7: http://a b/'],
    ['http://h/%zz', 'java.net.URISyntaxException Malformed escape pair at index 9: http://h/%zz'],
    ['http://h/%4', 'java.net.URISyntaxException Malformed escape pair at index 9: http://h/%4'],
    ['http://', 'java.net.URISyntaxException Expected authority at index 7: http://'],
    ['http:', 'java.net.URISyntaxException Expected scheme-specific part at index 5: http:'],
    ['http:///a', 'org.apache.http.client.ClientProtocolException URI does not specify a valid host name: http:///a'],
    ['http:/a', 'org.apache.http.client.ClientProtocolException URI does not specify a valid host name: http:/a'],
    ['file:///a', 'org.apache.http.client.ClientProtocolException URI does not specify a valid host name: file:///a'],
    ['mailto:a@b', 'org.apache.http.client.ClientProtocolException URI does not specify a valid host name: mailto:a@b'],
    ['ftp://host/a', 'org.apache.http.client.ClientProtocolException null: ftp is neither http nor https'],
    ['http://h:8x/', 'java.net.MalformedURLException Error at index 1 in: "8x"'],
  ])('"%s"', (text, expected) => {
    expect(javaUrlProblem(text)).toBe(expected);
  });

  it.each([
    'http://host',
    'https://user:p%40ss@host:8443/a/b;c=1?q=[x]&r=%20#f?/',
    'HTTP://my_host/',
    'http://[::1]:9200/a',
    'http://host/größe/東京?q=ü',
    '  http://host/ ',
    'http://host?q',
  ])('nothing of "%s"', (text) => {
    expect(javaUrlProblem(text)).toBeUndefined();
  });

  it('never throws, and accepts only URLs with a host', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.webAuthority(), fc.string()).map(([authority, path]) => `https://${authority}/${path}`),
          fc.string().map((rest) => `http://${rest}`),
        ),
        (text) => {
          const problem = javaUrlProblem(text);
          if (problem === undefined) expect(text).toMatch(/^\s*https?:\/\/[^/]/i);
          else expect(problem).toMatch(/^[a-z.]+\.[A-Z]\w+Exception /);
        },
      ),
    );
  });
});
