import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';
import { CERTIFICATE_PEM, KEY_PEM, KEY_STORE } from '../testing/tls-material.test.support.ts';

const host = '127.0.0.1';

function files(): { cert: string; key: string; keyStore: string; jks: string } {
  const directory = temporaryDirectory();
  const paths = {
    cert: join(directory, 'cert.pem'),
    key: join(directory, 'key.pem'),
    keyStore: join(directory, 'store.p12'),
    jks: join(directory, 'store.jks'),
  };
  writeFileSync(paths.cert, CERTIFICATE_PEM);
  writeFileSync(paths.key, KEY_PEM);
  writeFileSync(paths.keyStore, KEY_STORE);
  writeFileSync(paths.jks, Buffer.from('feedfeed00000002', 'hex'));
  return paths;
}

function secureStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/v1/livez`, { ca: CERTIFICATE_PEM, servername: 'localhost' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** Returns the answer of the service to bytes that are not a valid request. */
function answerTo(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), host, () => socket.write(bytes));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('a listener of the service', () => {
  it('refuses a request without Host, and ignores later requests on the connection', async () => {
    const { service } = await testService({ listeners: [{ host, port: 0 }] });
    const [url] = service.urls as [string];
    const next =
      'PUT /v1/config/smuggled HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    const body = `Content-Length: ${next.length}\r\n\r\n${next}`;
    for (const bytes of [
      `GET /v1/livez HTTP/1.1\r\n\r\n${next}`,
      `GET /nothing HTTP/1.1\r\n${body}${next}`,
      `POST /v1/config/validate HTTP/1.1\r\nContent-Type: application/hocon\r\n${body}${next}`,
    ]) {
      const answer = await answerTo(url, bytes);
      const [head = '', json = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(head.toLowerCase()).toContain('connection: close');
      expect(JSON.parse(json)).toMatchObject({
        status: 400,
        code: 'HR_REQUEST_INVALID',
        message: 'The request has no Host header',
        requestId: expect.any(String),
      });
      expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    }
    expect((await fetch(`${url}/v1/config/smuggled`)).status).toBe(404);
    expect(await answerTo(url, 'GET /v1/livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 200 /);
  });

  it('can use several ports: HTTP, HTTPS with PEM files, and HTTPS with a key store', async () => {
    const { cert, key, keyStore } = files();
    const service = await testService({
      listeners: [
        { host, port: 0 },
        { host, port: 0, tls: { cert, key } },
        { host, port: 0, tls: { keyStore, password: 'changeit' } },
      ],
    });
    const [plain, pem, pkcs12] = service.service.urls as [string, string, string];
    expect((await fetch(`${plain}/v1/livez`)).status).toBe(200);
    expect(pem).toMatch(/^https:/);
    expect(await secureStatus(pem)).toBe(200);
    expect(await secureStatus(pkcs12)).toBe(200);
  });

  it.each([
    ['0.0.0.0', /^Listening on http:\/\/0\.0\.0\.0:\d+, all IPv4 addresses of this machine$/],
    ['127.0.0.1', /^Listening on http:\/\/127\.0\.0\.1:\d+, for this machine only$/],
  ])('logs the address that it is bound to: %s', async (address, line) => {
    const service = await testService({ auth: 'none', listeners: [{ host: address, port: 0 }] });
    expect(service.log.infos).toContainEqual(expect.stringMatching(line));
  });

  it('is refused without authentication if other machines can reach it', async () => {
    await expect(testService({ listeners: [{ host: '0.0.0.0', port: 0 }] })).rejects.toMatchObject({
      code: 'HR_SERVICE_UNPROTECTED',
      message: expect.stringContaining('auth: none'),
    });
  });

  it('fails with the reason if HTTPS cannot be set up', async () => {
    const { keyStore, jks, key } = files();
    const start = (tls: { keyStore: string; password: string } | { cert: string; key: string }) =>
      testService({ listeners: [{ host, port: 0, tls }] });
    await expect(start({ keyStore: jks, password: 'x' })).rejects.toThrow('keytool -importkeystore');
    await expect(start({ keyStore, password: 'wrong' })).rejects.toThrow(keyStore);
    await expect(start({ cert: '/none.pem', key })).rejects.toThrow('/none.pem');
  });

  it('fails with the reason if the port is in use, and everything is closed again', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const first = await testService();
    const port = Number(new URL(first.url).port);
    await expect(testService({ storage, listeners: [{ host, port }] })).rejects.toThrow(`port ${port}`);
    await testService({ storage });
  });

  it('answers bytes that are not HTTP in the error format', async () => {
    const service = await testService();
    const [head, body] = (await answerTo(service.url, 'what is this\r\n\r\n')).split('\r\n\r\n');
    expect(head).toContain('HTTP/1.1 400 Bad Request');
    expect(JSON.parse(body as string)).toMatchObject({ status: 400, error: 'Bad Request' });
  });

  it('closes even if clients keep their connections open', async () => {
    const service = await testService();
    await fetch(`${service.url}/v1/livez`, { headers: { connection: 'keep-alive' } });
    await service.service.close();
    await service.service.close();
    await expect(fetch(`${service.url}/v1/livez`)).rejects.toThrow();
  });
});
