import { describe, expect, it } from 'vitest';
import { serve, serviceDirectory } from './served.ts';

const ROLES = `
auth:
  type: basicAuth
  users: [{ name: rita, password: looks-only, role: reader }]
`;

describe('the web application of the service', () => {
  it('is a page without inline code, at the address of each of its pages', async () => {
    const { url } = await serve(serviceDirectory());
    for (const path of ['/', '/configs', '/configs/a', '/runs/a/log', '/system', '/no/such/page']) {
      const page = await fetch(url + path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect({ path, status: page.status, type: page.headers.get('content-type') }).toEqual({
        path,
        status: 200,
        type: 'text/html; charset=utf-8',
      });
      const text = await page.text();
      expect(text.match(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/g)).toBeNull();
      const policy = page.headers.get('content-security-policy');
      expect(policy).toMatch(/default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/);
      expect(policy).not.toContain('unsafe');
      expect(page.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('answers unknown paths of programs and of the API with an error', async () => {
    const { url } = await serve(serviceDirectory());
    const html = { headers: { accept: 'text/html' } };
    for (const [path, options] of [
      ['/nope'],
      ['/v1/nope', html],
      ['/v1', html],
      ['/nope', { method: 'POST' }],
    ] as const) {
      const answer = await fetch(url + path, options);
      expect({ path, status: answer.status, body: await answer.json() }).toMatchObject({
        ...{ path, status: 404 },
        body: { code: 'HR_NOT_FOUND', message: `There is no endpoint ${path}` },
      });
    }
    expect((await fetch(`${url}/v1/preview`, html)).status).toBe(405);
  });

  it('uses a new nonce for each page', async () => {
    const { url } = await serve(serviceDirectory());
    const nonces = new Set<string | undefined>();
    for (let i = 0; i < 3; i++) {
      const page = await fetch(url);
      const nonce = /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1];
      expect(await page.text()).toContain(`nonce="${nonce}"`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  it('loads files that are compressed and never change, and no other files', async () => {
    const { url } = await serve(serviceDirectory());
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(url)).text())?.[1] as string;
    const zipped = await fetch(url + script);
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.headers.get('cache-control')).toContain('immutable');
    expect(zipped.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const plain = await fetch(url + script, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await zipped.text());
    for (const path of [
      '/assets/nothing.js',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%2e%2e/index.html',
      `${script}.gz`,
    ]) {
      expect({ path, status: (await fetch(url + path)).status }).toEqual({ path, status: 404 });
    }
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url}/v1/nothing`)).headers.get('content-type')).toContain('application/json');
  });

  it('needs no login, but everything that it shows does', async () => {
    const { url } = await serve(serviceDirectory(ROLES));
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}/v1/user`)).status).toBe(401);
    const headers = { authorization: `Basic ${Buffer.from('rita:looks-only').toString('base64')}` };
    const user = await (await fetch(`${url}/v1/user`, { headers })).json();
    expect(user).toEqual({ user: 'rita', role: 'reader', secured: true });
  });

  it('shows everything without a login if the service has no users', async () => {
    const { url } = await serve(serviceDirectory());
    expect(await (await fetch(`${url}/v1/user`)).json()).toEqual({ user: null, role: 'admin', secured: false });
  });
});
