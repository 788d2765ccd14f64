import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ApiError, HeadraceClient, type RunEvent } from './index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Starts a server with these answers. Returns a client of it, and the requests that the server received. */
async function clientOf(answer: Answer, auth?: { token: string } | { user: string; password: string }) {
  const requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { client: new HeadraceClient({ url, ...(auth === undefined ? {} : { auth }) }), requests };
}

function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

it('sends path, query, headers and body of an operation', async () => {
  const { client, requests } = await clientOf((_, response) => json(response, 200, { configId: 'a/b' }), {
    user: 'märy',
    password: 'x',
  });
  expect(await client.call('POST /v1/config', { body: 'a = 1', query: { validate: true } })).toEqual({
    configId: 'a/b',
  });
  await client.call('GET /v1/config/{id}', { path: { id: 'a/b' } });
  await client.call('POST /v1/run', { body: { configId: 'c' } });
  const asJson = { 'content-type': 'application/json' };
  await client.call('PUT /v1/config/{id}', { path: { id: 'a' }, headers: asJson, body: '{}' });
  expect(requests.map(({ line }) => line)).toEqual([
    'POST /v1/config?validate=true',
    'GET /v1/config/a%2Fb',
    'POST /v1/run',
    'PUT /v1/config/a',
  ]);
  expect(requests.map(({ headers }) => headers['content-type'])).toEqual([
    'application/hocon',
    undefined,
    'application/json',
    'application/json',
  ]);
  expect(requests.map(({ body }) => body)).toEqual(['a = 1', '', '{"configId":"c"}', '{}']);
  expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('märy:x').toString('base64')}`);
});

it('returns status, headers and the text as received from request(), undefined for an empty body, and plain text unchanged', async () => {
  const { client, requests } = await clientOf(
    (request, response) => {
      if (request.method === 'DELETE') response.writeHead(200).end();
      else if (request.url === '/metrics') response.writeHead(200, { 'content-type': 'text/plain' }).end('runs 1\n');
      else
        response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' }).end('{ "n": 9007199254740993 }\n');
    },
    { token: 't' },
  );
  const { status, headers, text } = await client.request('GET /v1/config/{id}', { path: { id: 'a' } });
  expect([status, headers.get('etag'), text]).toEqual([200, '"1"', '{ "n": 9007199254740993 }\n']);
  expect(await client.call('DELETE /v1/config/{id}', { path: { id: 'a' } })).toBeUndefined();
  expect(await client.call('GET /metrics')).toBe('runs 1\n');
  expect(requests[0]?.headers.authorization).toBe('Bearer t');
});

it('throws an ApiError with code, hint and problems if the service refuses a request', async () => {
  const problem = { severity: 'error', code: 'HR_X', path: 'a', message: 'b' };
  const { client } = await clientOf((_, response) =>
    json(
      response,
      429,
      { status: 429, error: 'Too Many', message: 'later', code: 'HR_Y', hint: 'wait', problems: [problem] },
      { 'retry-after': '7' },
    ),
  );
  const error = await client.call('GET /v1/run').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 429, message: 'later', code: 'HR_Y', hint: 'wait', retryAfter: 7 });
  expect((error as ApiError).problems).toEqual([problem]);
});

it('throws an ApiError with the text of a proxy that refuses a request', async () => {
  const { client } = await clientOf((_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'));
  const refused = client.call('GET /v1/run');
  await expect(refused).rejects.toMatchObject({ status: 502, message: '<h1>Bad gateway</h1>', code: 'HTTP_ERROR' });
});

const details = { runId: 'r', done: true, status: 'SUCCEEDED' };

/** Sends the events over two connections. The first breaks in the middle of an event. */
const inTwoParts: Answer = (request, response) => {
  if (request.url === '/v1/run/r') return json(response, 200, details);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (request.headers['last-event-id'] === undefined) {
    response.write('retry: 2000\n\nid: 0.1\nevent: progress\ndata: {"succeeded":1}\n\n: alive\n\nid: 1\nevent: conn');
    response.write('ector\ndata: {"name":"ä"}\n\nid: 2\nevent: fail', () => response.destroy());
    return undefined;
  }
  response.end(`id: done\nevent: done\ndata: ${JSON.stringify(details)}\n\n`);
  return undefined;
};

it('continues to watch a run after a lost connection, without losing or repeating an event', async () => {
  const { client, requests } = await clientOf(inTwoParts);
  const events: RunEvent[] = [];
  for await (const event of client.watchRun('r')) events.push(event);
  expect(events).toEqual([
    { name: 'progress', id: '0.1', data: { succeeded: 1 } },
    { name: 'connector', id: '1', data: { name: 'ä' } },
    { name: 'done', id: 'done', data: details },
  ]);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1']);
});

it('waits for the end of a run and returns its details', async () => {
  const { client } = await clientOf(inTwoParts);
  const names: string[] = [];
  const run = await client.waitForRun('r', { onEvent: ({ name }) => names.push(name) });
  expect(run).toEqual(details);
  expect(names).toEqual(['progress', 'connector', 'done']);
});

it('stops watching a run when its signal aborts, or if the error is permanent', async () => {
  const { client } = await clientOf((request, response) => {
    if (request.url === '/v1/run/none/events')
      json(response, 404, { message: 'no such run', code: 'HR_RUN_NOT_FOUND' });
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: log\ndata: 1\n\n');
  });
  await expect(client.watchRun('none').next()).rejects.toMatchObject({ code: 'HR_RUN_NOT_FOUND' });
  const stop = new AbortController();
  const events = client.watchRun('r', { signal: stop.signal });
  expect(await events.next()).toMatchObject({ value: { name: 'log', data: 1 } });
  stop.abort();
  await expect(events.next()).rejects.toThrow();
});
