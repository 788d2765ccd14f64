import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient } from './http-client.ts';
import { getFollowing } from './redirects.ts';

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

async function serve(handler: StubHandler): Promise<StubServer> {
  const stub = await StubServer.start(handler);
  closing.unshift(stub);
  return stub;
}

async function get(url: string, headers: Record<string, string> = {}, limit = 5, follow = (_: number) => true) {
  const client = await HttpClient.open();
  closing.unshift(client);
  return getFollowing(client, { url, headers }, { limit, follow });
}

const hops: StubHandler = ({ path }, response) => {
  const left = Number(path.slice(1));
  if (left === 0) response.end('there');
  else response.writeHead(301 + (left % 3), { location: `${left - 1}` }).end();
};

describe('redirects', () => {
  it('redirects are followed up to a limit, also relative ones, with the credentials of the URL', async () => {
    const stub = await serve(hops);
    const response = await get(`${stub.url.replace('//', '//u:p@')}/5`);
    expect(response).toMatchObject({ status: 200, url: `${stub.url.replace('//', '//u:p@')}/0` });
    expect(stub.requests.every(({ headers }) => headers.authorization !== undefined)).toBe(true);
    await expect(get(`${stub.url}/6`)).rejects.toThrow(/\/6 failed: it redirects more than 5 times/);
  });

  it('redirects fail if they form a loop', async () => {
    const stub = await serve((_, response) => void response.writeHead(302, { location: '/a' }).end());
    await expect(get(`${stub.url}/a`)).rejects.toThrow(/its redirects lead back to .*\/a/);
  });

  it('redirects fail if they lead to a URL that is not http', async () => {
    const stub = await serve((_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end());
    await expect(get(stub.url)).rejects.toThrow(
      /redirects to file:\/\/\/etc\/passwd, which is not an http or https URL/,
    );
  });

  it('redirects are returned if they must not be followed or have no location', async () => {
    const stub = await serve((_, response) => void response.writeHead(302, { location: '/a' }).end('elsewhere'));
    expect(await get(`${stub.url}/`, {}, 5, (status) => status !== 302)).toMatchObject({ status: 302 });
    stub.handle((_, response) => void response.writeHead(302).end());
    expect(await get(`${stub.url}/`)).toMatchObject({ status: 302 });
  });

  it('redirects to another server are sent without the credentials', async () => {
    const other = await serve((_, response) => void response.end('there'));
    const stub = await serve((_, response) => void response.writeHead(302, { location: `${other.url}/x` }).end());
    await get(stub.url, { Authorization: 'Bearer secret', Cookie: 'a=b', 'X-Other': 'stays' });
    expect(stub.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret', cookie: 'a=b' });
    expect(other.requests[0]?.headers).toMatchObject({ 'x-other': 'stays' });
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(other.requests[0]?.headers).not.toHaveProperty('cookie');
  });
});
