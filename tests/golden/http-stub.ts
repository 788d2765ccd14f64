import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type JsonObject, readJson, type Value, writeValue } from '@headrace/engine';

/** A request in the form of the recordings, with the compared parts. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly contentEncoding?: string;
  /** The lines of a bulk request. */
  readonly lines?: Value[];
  readonly json?: Value;
  replied: string;
}

/** The server of a recorded case. The README of the recordings describes its answers. */
export class HttpStub {
  readonly requests: StubRequest[] = [];
  readonly #server: Server;
  readonly #script: JsonObject;
  readonly #used = new Map<Value, number>();

  private constructor(script: JsonObject) {
    this.#script = script;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(script: JsonObject): Promise<HttpStub> {
    const stub = new HttpStub(script);
    stub.#server.listen(0, '127.0.0.1');
    await once(stub.#server, 'listening');
    return stub;
  }

  /** The host and port of the stub. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message);
    this.requests.push(request);
    if (this.#script.get('product') === 'elasticsearch') response.setHeader('X-Elastic-Product', 'Elasticsearch');
    const rule = this.#ruleFor(request);
    if (rule !== undefined) {
      this.#reply(rule, request, message, response);
      return;
    }
    request.replied = '200';
    response.setHeader('content-type', 'application/json');
    response.end(request.method === 'HEAD' ? undefined : writeValue(this.#ordinary(request)));
  }

  #ruleFor({ method, path }: StubRequest): JsonObject | undefined {
    const rules = (this.#script.get('replies') as JsonObject[] | undefined) ?? [];
    const matches = (rule: JsonObject, key: string, value: string) => (rule.get(key) ?? value) === value;
    const rule = rules.find(
      (one) =>
        matches(one, 'method', method) && matches(one, 'path', path) && !this.#isSpent(one, one.get('times') ?? 1),
    );
    return rule;
  }

  #reply(rule: JsonObject, request: StubRequest, message: IncomingMessage, response: ServerResponse): void {
    const action = rule.get('action');
    if (action === 'reset' || action === 'close') {
      request.replied = action;
      if (action === 'reset') message.socket.resetAndDestroy();
      else message.socket.destroy();
      return;
    }
    const status = Number(rule.get('status') ?? 200);
    request.replied = String(status);
    for (const [name, value] of (rule.get('headers') as JsonObject | undefined) ?? [])
      response.setHeader(name, String(value));
    const body = rule.get('body') ?? (status >= 400 ? stubError(status) : '');
    response.setHeader('content-type', String(rule.get('contentType') ?? 'application/json'));
    response.statusCode = status;
    response.end(request.method === 'HEAD' ? undefined : typeof body === 'string' ? body : writeValue(body));
  }

  #ordinary({ method, path, lines }: StubRequest): Value {
    if (method === 'POST' && lines !== undefined) return this.#bulkReply(lines as JsonObject[]);
    if (method === 'POST' && path.endsWith('/_delete_by_query')) {
      return readJson('{"took":1,"timed_out":false,"total":1,"deleted":1,"version_conflicts":0,"failures":[]}');
    }
    return readJson('{"name":"stub","cluster_name":"stub","version":{"number":"9.0.0"}}');
  }

  #bulkReply(lines: readonly JsonObject[]): Value {
    const items: Value[] = [];
    let errors = false;
    for (let i = 0; i < lines.length; i++) {
      const [op, target] = [...(lines[i] as JsonObject)][0] as [string, JsonObject];
      if (op !== 'delete') i++;
      const { status, error, as } = this.#itemFor(op, String(target.get('_id')));
      errors ||= error !== undefined;
      const item: JsonObject = new Map([
        ['_index', target.get('_index') ?? null],
        ['_id', as ?? target.get('_id') ?? null],
        ['status', status],
      ]);
      if (error !== undefined) item.set('error', error);
      items.push(new Map([[op, item]]));
    }
    return new Map<string, Value>([
      ['took', 1],
      ['errors', errors],
      ['items', items],
    ]);
  }

  #itemFor(op: string, id: string): { status: number; error?: Value; as?: Value } {
    const usual = { status: op === 'index' ? 201 : 200 };
    const said = (this.#script.get('items') as JsonObject | undefined)?.get(id) as JsonObject | undefined;
    if (said === undefined || (said.get('op') ?? op) !== op || this.#isSpent(said, said.get('times') ?? -1))
      return usual;
    const [error, as] = [said.get('error'), said.get('as')];
    return {
      status: Number(said.get('status') ?? usual.status),
      ...(error === undefined ? {} : { error }),
      ...(as === undefined ? {} : { as }),
    };
  }

  /**
   * Counts a use of something with a limited number of uses (-1 means no limit). Returns whether the limit was reached
   * before.
   */
  #isSpent(what: Value, times: Value): boolean {
    const used = this.#used.get(what) ?? 0;
    if (times !== -1 && used >= Number(times)) return true;
    this.#used.set(what, used + 1);
    return false;
  }
}

function stubError(status: number): Value {
  const reason = `stub says ${status}`;
  return readJson(
    `{"error":{"root_cause":[{"type":"stub","reason":"${reason}"}],"type":"stub","reason":"${reason}"},"status":${status}}`,
  );
}

async function readRequest(message: IncomingMessage): Promise<StubRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = message;
  const path = new URL(url, 'http://stub').pathname;
  const encoding = headers['content-encoding'];
  const raw = Buffer.concat(chunks);
  const body = (encoding === 'gzip' ? gunzipSync(raw) : raw).toString();
  const isBulk = path.endsWith('/_bulk');
  return {
    method,
    path,
    ...(encoding === undefined ? {} : { contentEncoding: encoding }),
    ...(isBulk
      ? {
          lines: body
            .split('\n')
            .filter((line) => line !== '')
            .map(readJson),
        }
      : {}),
    ...(!isBulk && body !== '' ? { json: readJson(body) } : {}),
    replied: '',
  };
}
