import { connect, type Socket } from 'node:net';

const GET_DATA = 4;
const GET_CHILDREN = 8;
const NO_NODE = -101;
/** Requests have numbers; the handshake has none. */
const FIRST_REQUEST = 1;

/**
 * Reads the state of a SolrCloud from ZooKeeper: the names of nodes below a path, and the data of a node. It implements
 * only the handshake and these two requests of the protocol (ZooKeeper Programmer's Guide, `zookeeper.jute`). It sets
 * no watches and writes nothing.
 */
export class ZooKeeper {
  readonly #socket: Socket;
  readonly #incoming: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #requests = FIRST_REQUEST;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#incoming = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Connects to the first of these hosts (`host:port`) that answers. Throws an error with the reasons if none does. */
  static async open(hosts: readonly string[], timeoutMillis: number): Promise<ZooKeeper> {
    const reasons: string[] = [];
    const errors: unknown[] = [];
    for (const host of hosts) {
      const [name = '', port = '2181'] = host.trim().split(/:(?=\d+$)/);
      const socket = connect({ host: name, port: Number(port) });
      socket.setTimeout(timeoutMillis, () => socket.destroy(new Error(`no answer within ${timeoutMillis / 1000} s`)));
      const client = new ZooKeeper(socket);
      try {
        await client.#greet(timeoutMillis);
        return client;
      } catch (error) {
        socket.destroy();
        reasons.push(`${host}: ${(error as Error).message}`);
        errors.push(error);
      }
    }
    // The codes of the errors decide whether to retry.
    throw new AggregateError(errors, `ZooKeeper cannot be reached: ${reasons.join('; ')}`);
  }

  /** Returns the names of the nodes below a path; undefined if the node does not exist. */
  async children(path: string): Promise<string[] | undefined> {
    const answer = await this.#request(GET_CHILDREN, path);
    if (answer === undefined) return undefined;
    const names: string[] = [];
    let at = 4;
    for (let count = answer.readInt32BE(0); count > 0; count--) {
      const length = answer.readInt32BE(at);
      names.push(answer.toString('utf8', at + 4, at + 4 + length));
      at += 4 + length;
    }
    return names;
  }

  /** Returns the data of a node as text; undefined if the node does not exist. */
  async data(path: string): Promise<string | undefined> {
    const answer = await this.#request(GET_DATA, path);
    if (answer === undefined) return undefined;
    const length = answer.readInt32BE(0);
    return length < 0 ? '' : answer.toString('utf8', 4, 4 + length);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #greet(timeoutMillis: number): Promise<void> {
    // The handshake: version, last transaction seen (8 bytes), time-out, session (8 bytes), password (length and 16
    // bytes).
    const greeting = Buffer.alloc(44);
    greeting.writeInt32BE(timeoutMillis, 12);
    greeting.writeInt32BE(16, 24);
    this.#send(greeting);
    await this.#receive();
  }

  async #request(type: number, path: string): Promise<Buffer | undefined> {
    const name = Buffer.from(path);
    const message = Buffer.alloc(13 + name.length);
    message.writeInt32BE(this.#requests++, 0);
    message.writeInt32BE(type, 4);
    message.writeInt32BE(name.length, 8);
    name.copy(message, 12);
    this.#send(message);
    const answer = await this.#receive();
    const error = answer.readInt32BE(12);
    if (error === NO_NODE) return undefined;
    if (error !== 0) throw new Error(`ZooKeeper answered with error ${error} for ${path}`);
    return answer.subarray(16);
  }

  #send(message: Buffer): void {
    const length = Buffer.alloc(4);
    length.writeInt32BE(message.length);
    this.#socket.write(Buffer.concat([length, message]));
  }

  async #receive(): Promise<Buffer> {
    for (;;) {
      const length = this.#rest.length < 4 ? Number.POSITIVE_INFINITY : this.#rest.readInt32BE(0);
      if (this.#rest.length >= 4 + length) {
        const message = this.#rest.subarray(4, 4 + length);
        this.#rest = this.#rest.subarray(4 + length);
        return message;
      }
      const { value, done } = await this.#incoming.next();
      if (done === true) throw new Error('ZooKeeper has closed the connection');
      this.#rest = Buffer.concat([this.#rest, value]);
    }
  }
}
