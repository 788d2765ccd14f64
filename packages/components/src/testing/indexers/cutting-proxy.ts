import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy for a server that does not use HTTP. It forwards bytes in both directions, and cuts connections. */
export class CuttingProxy {
  /** The number of bytes, in both directions, after which a connection is cut in the middle of a message. */
  cutEvery = Number.POSITIVE_INFINITY;
  /** If a message contains this text, the proxy forwards nothing from then on. */
  refuseFrom: string | undefined;
  cuts = 0;
  #refuses = false;
  readonly #target: string;
  readonly #host: string;
  readonly #port: number;
  readonly #server = createServer((socket) => this.#pass(socket));

  private constructor(url: string) {
    const [address, host = '', port] = HOST_AND_PORT.exec(url) ?? [];
    if (address === undefined) throw new Error(`${url} has no host and port`);
    this.#target = url;
    this.#host = host;
    this.#port = Number(port);
  }

  /** @param url the URL of the server, or its host and port */
  static async start(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(url);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The URL of the server through the proxy. */
  get url(): string {
    return this.#target.replace(HOST_AND_PORT, `$1:${this.#ownPort}`);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  get #ownPort(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #pass(client: Socket): void {
    const upstream = connect(this.#port, this.#host);
    let bytes = 0;
    const forward = (from: Socket, to: Socket) => {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.on('data', (data: Buffer) => {
        bytes += data.length;
        this.#refuses ||= this.refuseFrom !== undefined && data.includes(this.refuseFrom);
        if (!this.#refuses && bytes < this.cutEvery) {
          to.write(this.#readdressed(data));
          return;
        }
        this.cuts++;
        from.destroy();
        if (!this.#refuses) to.end(data.subarray(0, data.length >> 1));
      });
    };
    forward(client, upstream);
    forward(upstream, client);
  }

  /** Replaces addresses in responses: Kafka brokers send their addresses, which would bypass the proxy. */
  #readdressed(data: Buffer): Buffer {
    const at = data.indexOf(Buffer.concat([Buffer.from(this.#host), int32(this.#port)]));
    if (at >= 0) int32(this.#ownPort).copy(data, at + this.#host.length);
    return data;
  }
}

const HOST_AND_PORT = /(?<=^|[/@])([^/@:]+):(\d+)/;

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
