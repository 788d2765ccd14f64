import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request to the stub. */
export interface StubRequest {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type StubHandler = (request: StubRequest, response: ServerResponse) => void | Promise<void>;

/** A small HTTP server for a test, on a free local port. */
export class StubServer {
  /** All requests, in order. */
  readonly requests: StubRequest[] = [];
  /** The maximum number of concurrent requests. */
  mostAtOnce = 0;
  /** The number of connections. */
  connections = 0;
  readonly #server: Server;
  readonly #scheme: string;
  #handler: StubHandler;
  #atOnce = 0;

  private constructor(handler: StubHandler, tls: ServerOptions | undefined) {
    this.#handler = handler;
    this.#scheme = tls === undefined ? 'http' : 'https';
    const listener: RequestListener = (request, response) => void this.#answer(request, response);
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', () => this.connections++);
  }

  static async start(handler: StubHandler, tls?: ServerOptions): Promise<StubServer> {
    const stub = new StubServer(handler, tls);
    stub.#server.listen(0, '127.0.0.1');
    await once(stub.#server, 'listening');
    return stub;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Replaces the handler for later requests. */
  handle(handler: StubHandler): void {
    this.#handler = handler;
  }

  /** Sets the listener for `CONNECT` requests, for stubs of proxies. */
  onConnect(listener: (request: IncomingMessage, socket: Socket, head: Buffer) => void): void {
    this.#server.on('connect', listener);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    response.once('close', () => this.#atOnce--);
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = message;
    const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(request);
    await this.#handler(request, response);
  }
}

/** Creates a handler that delays requests until a group of `count` is waiting, and then answers all of them. */
export function inGroupsOf(count: number, answer: StubHandler): StubHandler {
  let waiting: (() => void)[] = [];
  return (request, response) => {
    waiting.push(() => void answer(request, response));
    if (waiting.length < count) return;
    const group = waiting;
    waiting = [];
    for (const one of group) one();
  };
}
