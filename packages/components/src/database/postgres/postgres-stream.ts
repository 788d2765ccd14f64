import { isIP, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { DataRowCollector } from '@headrace/formats/records/postgres';

/** The request for TLS: its length, and a number in place of a version. (Source: PostgreSQL documentation, SSLRequest.) */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * The connection to the server that the option `stream` of `pg` expects. It begins TLS itself, so that it sees the
 * messages of the server: those with rows go to the collector, and all others to the driver.
 */
export class PostgresStream extends Duplex {
  readonly collector = new DataRowCollector((bytes) => this.push(bytes));
  readonly #tls: ConnectionOptions | false;
  readonly #raw = new Socket();
  /** The connection with TLS, if there is TLS. */
  #socket: Socket = this.#raw;

  constructor(tls: ConnectionOptions | false) {
    super({ allowHalfOpen: false });
    this.#tls = tls;
  }

  /** Called by `pg`, which waits for the event `connect`. */
  connect(port: number, host: string): void {
    this.#raw.connect(port, host);
    this.#raw.once('connect', () => {
      if (this.#tls === false) this.#begin();
      else this.#requestTls(host, this.#tls);
    });
    this.#watch(this.#raw);
  }

  setNoDelay(on: boolean): void {
    this.#raw.setNoDelay(on);
  }

  setKeepAlive(on: boolean, delay: number): void {
    this.#raw.setKeepAlive(on, delay);
  }

  ref(): void {
    this.#raw.ref();
  }

  unref(): void {
    this.#raw.unref();
  }

  /** Calls a function when the server has been silent for so long. 0 removes it. */
  setTimeout(millis: number, silent: () => void): void {
    this.#socket.setTimeout(millis, silent);
  }

  /** Stops reading from the server. `pause` would only stop the events for the driver. */
  hold(): void {
    this.#socket.pause();
  }

  proceed(): void {
    this.#socket.resume();
  }

  override _read(): void {
    // The driver takes every message when it arrives.
  }

  override _write(bytes: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  /** The driver writes several messages for one query. */
  override _writev(parts: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    this.#raw.destroy();
    done(error);
  }

  #requestTls(host: string, options: ConnectionOptions): void {
    this.#raw.write(TLS_REQUEST);
    this.#raw.once('data', (answer: Buffer) => {
      // More than one byte would have been sent by someone between, without TLS.
      const [first] = answer.length === 1 ? answer.toString('latin1') : '';
      if (first === 'N') this.destroy(new Error('The server does not support SSL connections'));
      else if (first !== 'S') this.destroy(new Error('There was an error establishing an SSL connection'));
      else this.#beginTls(host, options);
    });
  }

  #beginTls(host: string, options: ConnectionOptions): void {
    // Without a name of the server, `host` is compared with its certificate. An address is no name.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    this.#socket = connect({ socket: this.#raw, host, ...servername, ...options }, () => this.#begin());
    this.#watch(this.#socket);
  }

  #begin(): void {
    this.#socket.on('data', (bytes: Buffer) => this.collector.push(bytes));
    this.#socket.on('end', () => this.push(null));
    this.emit('connect');
  }

  #watch(socket: Socket): void {
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (socket === this.#socket) this.destroy();
    });
  }
}
