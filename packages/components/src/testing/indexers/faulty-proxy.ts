import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with a request that changes the index. */
export type Fault =
  /** An answer of the proxy's own; the engine never sees the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Record<string, string> }
  /** The connection ends before the engine sees the request. */
  | { readonly kind: 'cut' }
  /** The engine does what it is asked, and the connection ends in the middle of its reply. */
  | { readonly kind: 'cut-reply' }
  /** Of a bulk request these items are refused with this status, and the engine sees the others. */
  | { readonly kind: 'items'; readonly status: number; readonly refuse: (id: string) => boolean };

interface BulkLine {
  readonly lines: string;
  readonly id: string;
  readonly action: string;
}

/** A proxy for a real engine that causes the faults of a test. */
export class FaultyProxy {
  /** Called for each request that changes something, with its body: what is to go wrong, if anything. */
  fault: (body: string) => Fault | undefined = () => undefined;
  /** The bodies of those requests, in the order in which they came. */
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

  /** The address of the engine, by way of the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href.replace(/\/$/, '');
  }

  /** What goes wrong with the first of those requests, one each. */
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
    const changes = /\/(_bulk|update|_delete_by_query|documents)\b/.test(request.url ?? '');
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
    // Asked once for each: the answer may be another the next time.
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

  /** The engine's reply; undefined if it is not there. */
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
      // Nodes of a cloud tell each other's addresses: those would be ways around the proxy.
      return { status: answer.status, type, text: text.replaceAll(new URL(this.#target).host, new URL(this.url).host) };
    } catch (error) {
      // What `fetch` throws if there is no connection, or it is lost.
      if (!(error instanceof TypeError)) throw error;
      return undefined;
    }
  }
}

/** The actions of a bulk request, each with its source. */
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
