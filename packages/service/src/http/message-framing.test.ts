import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sharedService, type TestService, testService } from '../testing/test-service.test.support.ts';

/** Sends bytes. Returns all that the service answers until it closes the connection. */
function exchange({ url }: TestService, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

const upload = 'POST /v1/config HTTP/1.1\r\nContent-Type: application/hocon\r\n';
const smuggled = 'PUT /v1/config/smuggled HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/hocon\r\n';
const next = `${smuggled}Content-Length: 4\r\n\r\na: 1`;

describe('a request that a proxy may understand differently', () => {
  const shared = sharedService();

  it.each([
    ['an unknown Transfer-Encoding', `${upload}Host: localhost\r\nTransfer-Encoding: rot13\r\n\r\n`],
    [
      'an unknown Transfer-Encoding before chunked',
      `${upload}Host: localhost\r\nTransfer-Encoding: rot13, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['chunked twice', `${upload}Host: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['gzip alone', `${upload}Host: localhost\r\nTransfer-Encoding: gzip\r\nContent-Length: 4\r\n\r\na: 1`],
    ['two Host headers', `${upload}Host: localhost\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\na: 1`],
    ['the same Host header twice', `${upload}Host: localhost\r\nhost: localhost\r\nContent-Length: 4\r\n\r\na: 1`],
  ])('gets 400 and a closed connection: %s', async (_what, bytes) => {
    const service = shared();
    const answer = await exchange(service, bytes + next);
    const [head = '', json = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(/\r\nconnection: close(\r\n|$)/i);
    expect(JSON.parse(json)).toMatchObject({ status: 400, code: 'HR_REQUEST_INVALID' });
    // There is only one answer on the connection, and the smuggled request was not executed.
    expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    expect((await service.ask('/v1/config')).json).toEqual({});
  });

  it('does not include chunked in another letter case, which is accepted', async () => {
    const service = await testService();
    const answer = await exchange(
      service,
      `${upload}Host: localhost\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\na: 1\r\n0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a method that does not exist', () => {
  const shared = sharedService();

  it.each(['FOO', 'get', 'BREW', 'QUERY', 'PURGE', 'TRACE', 'CONNECT'])(
    'gets 405 with the supported methods: %s',
    async (method) => {
      const service = shared();
      const target = method === 'CONNECT' ? 'x:80' : '/v1/config';
      const answer = await exchange(
        service,
        `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      const [head = '', json = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(head).toMatch(/\r\nallow: [^\r]*GET[^\r]*POST/i);
      expect(JSON.parse(json)).toMatchObject({ status: 405, code: 'HR_METHOD_NOT_ALLOWED' });
    },
  );

  it('is not assumed for bytes that are not HTTP, which get 400', async () => {
    const service = shared();
    for (const bytes of ['\x16\x03\x01\x02\x00\x01\r\n\r\n', 'FOO\r\n\r\n', 'F\x01O / HTTP/1.1\r\n\r\n']) {
      expect(await exchange(service, bytes)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });
});

describe('the supported methods of a path', () => {
  const shared = sharedService();

  it.each([
    ['/v1/config/validate', 'POST'],
    ['/v1/config/some-id', 'DELETE, GET, HEAD, PUT'],
    ['/v1/config', 'GET, HEAD, POST'],
    ['/v1/run/abc/cancel', 'POST'],
  ])('OPTIONS %s lists %s', async (path, allow) => {
    const service = shared();
    const answer = await service.ask(path, { method: 'OPTIONS' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });
});
