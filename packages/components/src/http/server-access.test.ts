import { describe, expect, it } from 'vitest';
import { authorizationOf, checkServerAccess, type ServerAccess, tlsOf } from './server-access.ts';

describe('the Authorization header', () => {
  it.each<[ServerAccess, string | undefined]>([
    [{}, undefined],
    [{ userName: 'ü', password: 'a:b' }, `Basic ${Buffer.from('ü:a:b').toString('base64')}`],
    [{ userName: 'u' }, undefined],
    [{ apiKey: 'a2V5\n' }, 'ApiKey a2V5'],
    [{ bearerToken: ' tok ' }, 'Bearer tok'],
  ])('is built from the credentials %j', (access, header) => {
    expect(authorizationOf(access)).toBe(header);
  });
});

it('tlsOf reads the key from the certificate file by default', () => {
  expect(tlsOf({ tls: { certificateFile: 'both.pem' } })).toMatchObject({ keyFile: 'both.pem' });
  expect(tlsOf({ tls: { certificateFile: 'a.pem', keyFile: 'b.pem' } })).toMatchObject({ keyFile: 'b.pem' });
});

describe('the check of server access', () => {
  const found = (access: ServerAccess, url = 'https://h') =>
    [...checkServerAccess('x.', [url], access)].map(
      ({ parameter, message, severity = 'error' }) => `${severity} ${parameter}: ${message}`,
    );

  it('accepts one kind of credentials, and certificates for https', () => {
    expect(found({})).toEqual([]);
    expect(found({}, 'https://u:p@h')).toEqual([]);
    expect(found({ apiKey: 'k\n', tls: { caFile: 'ca.pem' } })).toEqual([]);
    expect(found({ userName: 'u', password: 'p', tls: { certificateFile: 'c', keyFile: 'k' } })).toEqual([]);
  });

  it('reports conflicting credentials and settings without an effect', () => {
    expect(found({ apiKey: 'k' }, 'https://u:p@h')).toEqual([
      'error x.apiKey: Credentials are given twice, by url and by apiKey',
    ]);
    expect(found({ password: 'p' })).toEqual(['warning x.password: password has no effect without userName']);
    expect(found({ bearerToken: 'a\nb', apiKey: ' ' })).toEqual([
      'error x.apiKey: apiKey is empty',
      'error x.bearerToken: bearerToken has characters that a header cannot contain',
      'error x.bearerToken: Credentials are given twice, by apiKey and by bearerToken',
    ]);
    expect(found({ tls: { keyFile: 'k', caFile: 'c' } }, 'http://h')).toEqual([
      'error x.tls.keyFile: tls.keyFile has no effect without tls.certificateFile',
      'warning x.tls: tls has no effect: the URL begins with http:',
    ]);
  });
});
