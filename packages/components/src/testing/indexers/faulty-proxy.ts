import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fault for a request that changes the index. */
export type Fault =
  /** The proxy answers itself; the engine does not receive the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Record<string, string> }
  /** The connection ends before the engine receives the request. */
  | { readonly kind: 'cut' }
  /**
   * The engine processes the request, and the connection ends in the middle of its response. `afterwards` is called between
   * the two.
   */
  | { readonly kind: 'cut-reply'; readonly afterwards?: () => Promise<unknown> }
  /** The proxy rejects these items of a bulk request with this status; the engine receives the others. */
  | { readonly kind: 'items'; readonly status: number; readonly refuse: (id: string) => boolean };

interface BulkLine {
  readonly lines: string;
  readonly id: string;
  readonly action: string;
}

/** A proxy for a real engine that causes the faults of a test. */
export class FaultyProxy {
  /** Called for each request that changes something, with its body. Returns the fault, if any. */
  fault: (body: string) => Fault | undefined = () => undefined;
  /** The bodies of those requests, in order of arrival. */
  readonly bodies: string[] = [];
  readonly #target: string;
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The URL of the engine through the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href.replace(/\/$/, '');
  }

  /** Sets the faults of the next requests, one each. */
  faults(...list: (Fault | undefined)[]): void {
    this.fault = () => list.shift();
  }

  reset(): void {
    this.fault = () => undefined;
    this.bodies.length = 0;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const changes = /\/(_bulk|update|_delete_by_query|documents|points|batch\/objects)\b/.test(request.url ?? '');
    if (changes) this.bodies.push(body);
    const fault = changes ? this.fault(body) : undefined;
    if (fault?.kind === 'cut') {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === 'answer') {
      response.writeHead(fault.status, { 'content-type': 'text/plain', ...fault.headers });
      response.end(`the proxy says ${fault.status}`);
      return;
    }
    const items = fault?.kind === 'items' ? bulkLines(body) : [];
    // `refuse` is called once per item, because its result may change.
    const refused = new Set(fault?.kind === 'items' ? items.filter(({ id }) => fault.refuse(id)) : []);
    const sent =
      fault?.kind === 'items'
        ? items
            .filter((line) => !refused.has(line))
            .map(({ lines }) => lines)
            .join('')
        : body;
    if (fault?.kind === 'items' && sent === '') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(merged(items, refused, fault.status, [])));
      return;
    }
    const reply = await this.#forward(request, sent);
    if (reply === undefined) {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === 'cut-reply') await fault.afterwards?.();
    response.writeHead(reply.status, { 'content-type': reply.type });
    if (fault?.kind === 'cut-reply') {
      response.write(reply.text.slice(0, reply.text.length >> 1), () => request.socket.destroy());
      return;
    }
    if (fault?.kind !== 'items') {
      response.end(reply.text);
      return;
    }
    const answer = JSON.parse(reply.text) as { items: unknown[] };
    response.end(JSON.stringify(merged(items, refused, fault.status, answer.items)));
  }

  /** Returns the response of the engine; undefined if the engine is not reachable. */
  async #forward(
    { method = 'GET', url, headers }: IncomingMessage,
    body: string,
  ): Promise<{ status: number; type: string; text: string } | undefined> {
    try {
      const answer = await fetch(new URL(url ?? '/', this.#target), {
        method,
        ...(body === '' ? {} : { body, headers: { 'content-type': headers['content-type'] ?? 'application/json' } }),
      });
      const type = answer.headers.get('content-type') ?? 'application/json';
      const text = await answer.text();
      // Nodes of a cloud send their addresses, which would bypass the proxy.
      return { status: answer.status, type, text: text.replaceAll(new URL(this.#target).host, new URL(this.url).host) };
    } catch (error) {
      // `fetch` throws a TypeError if there is no connection, or if it is lost.
      if (!(error instanceof TypeError)) throw error;
      return undefined;
    }
  }
}

/** Returns the actions of a bulk request, each with its source. */
export function bulkLines(body: string): BulkLine[] {
  const lines = body.split('\n').filter((line) => line !== '');
  const items: BulkLine[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const [[action, target]] = Object.entries(JSON.parse(line)) as [[string, { _id: string }]];
    const source = action === 'delete' ? '' : `${lines[++i]}\n`;
    items.push({ lines: `${line}\n${source}`, id: target._id, action });
  }
  return items;
}

function merged(
  items: readonly BulkLine[],
  refused: ReadonlySet<BulkLine>,
  status: number,
  replies: unknown[],
): unknown {
  const error = { type: 'es_rejected_execution_exception', reason: `the proxy says ${status}` };
  const waiting = [...replies];
  return {
    errors: true,
    items: items.map((line) => (refused.has(line) ? { [line.action]: { status, error } } : waiting.shift())),
  };
}
