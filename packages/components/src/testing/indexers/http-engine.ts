import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OwnServer } from '@headrace/testing/real-server';
import type { EngineUnderTest, Fields } from './engine-runs.ts';

/**
 * A server that stores documents: it accepts lines of JSON at `/NAME/update`, rejects those whose `n_i` is not a
 * number, and deletes documents at `/NAME/documents/ID`. The documents survive a restart.
 */
export class HttpEngine implements EngineUnderTest, Pick<OwnServer, 'start' | 'stop'> {
  readonly #indices = new Map<string, Map<string, Fields>>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  config(url: string, target: string, settings: string, more: string): string {
    return `indexer { type: "HTTP", ${settings} }
      http { url: "${url}/${target}/update", itemErrors: true, deleteUrl: "${url}/${target}/documents/{id}", ${more} }`;
  }

  async create(): Promise<string> {
    const name = crypto.randomUUID();
    this.#indices.set(name, new Map());
    return name;
  }

  async contents(target: string): Promise<Record<string, Fields>> {
    return Object.fromEntries(this.#indices.get(target) ?? []);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, target = '', what, id = ''] = (request.url ?? '').split('/');
    const index = this.#indices.get(target);
    if (request.method === 'HEAD') response.end();
    else if (request.method === 'DELETE' && what === 'documents') {
      response.writeHead(index?.delete(decodeURIComponent(id)) === true ? 204 : 404).end();
    } else if (request.method === 'POST' && what === 'update' && index !== undefined) {
      const errors = keep(index, Buffer.concat(chunks).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ errors }));
    } else response.writeHead(404).end();
  }
}

function keep(index: Map<string, Fields>, body: string): Fields[] {
  const errors: Fields[] = [];
  for (const [i, line] of body.trimEnd().split('\n').entries()) {
    const { run_id: _, ...document } = JSON.parse(line) as Fields;
    const isBad = document.n_i !== undefined && typeof document.n_i !== 'number';
    if (isBad) errors.push({ index: i, status: 400, message: 'n_i must be a number' });
    else index.set(document.id as string, document);
  }
  return errors;
}
