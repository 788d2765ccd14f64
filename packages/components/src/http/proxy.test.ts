import { describe, expect, it } from 'vitest';
import { proxiesForNode, proxyFor } from './proxy.ts';

const proxies = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://tunnel:3129' };

function proxy(url: string, noProxy?: string): string | undefined {
  return proxyFor(new URL(url), { ...proxies, NO_PROXY: noProxy })?.host;
}

describe('the proxy of a URL', () => {
  it('the proxy is selected by the scheme', () => {
    expect(proxy('http://a.example')).toBe('plain:3128');
    expect(proxy('https://a.example')).toBe('tunnel:3129');
    expect(proxyFor(new URL('https://a.example'), { HTTP_PROXY: 'http://plain:3128' })).toBeUndefined();
    expect(proxyFor(new URL('http://a.example'), {})).toBeUndefined();
  });

  it('a proxy variable is preferred in lower case, disables the proxy if it is empty, and may lack a scheme', () => {
    const environment = { http_proxy: 'lower:1', HTTP_PROXY: 'http://upper:1' };
    expect(proxyFor(new URL('http://a.example'), environment)?.href).toBe('http://lower:1/');
    expect(proxyFor(new URL('http://a.example'), { ...environment, http_proxy: '' })).toBeUndefined();
  });

  it.each([
    ['http://a.example', 'a.example', true],
    ['http://b.a.example', 'a.example', true],
    ['http://b.a.example', '.a.example', true],
    ['http://a.example', '*.a.example', true],
    ['http://aa.example', 'a.example', false],
    ['http://A.EXAMPLE', 'x, A.example ,y', true],
    ['http://a.example', 'x a.example y', true],
    ['http://a.example', '*', true],
    ['http://a.example:8080', 'a.example:8080', true],
    ['http://a.example', 'a.example:8080', false],
    ['http://a.example', 'a.example:80', true],
    ['https://a.example', 'a.example:443', true],
    ['http://127.0.0.1:9200', '127.0.0.1', true],
    ['http://[::1]:9200', '::1', true],
    ['http://[::1]:9200', '[::1]', true],
    ['http://[::1]:9200', '[::1]:9201', false],
    ['http://a.example', '', false],
    ['http://a.example', ',', false],
  ])('is or is not used for %s with the exceptions "%s"', (url, noProxy, excepted) => {
    expect(proxy(url, noProxy) === undefined).toBe(excepted);
  });
});

it.each([
  [{}, { no_proxy: '' }],
  [
    { HTTP_PROXY: 'plain:3128', https_proxy: 'http://u:p@tunnel:3129', NO_PROXY: 'a.example .b.example,*.c.example' },
    {
      http_proxy: 'http://plain:3128/',
      https_proxy: 'http://u:p@tunnel:3129/',
      no_proxy: 'a.example,.a.example,b.example,.b.example,c.example,.c.example',
    },
  ],
  [{ no_proxy: '[::1] h:1, *' }, { no_proxy: '::1,.::1,h:1,*' }],
])("converts %j to the proxy settings of Node's agents", (environment, proxies) => {
  expect(proxiesForNode(environment)).toEqual(proxies);
});
