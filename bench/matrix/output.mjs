// The outputs of the programs by hand.

const FIRST_SIZE = 2 * 1024 * 1024;

/** The output bytes of one piece. */
export class Output {
  #bytes;
  #length = 0;
  #ascii;
  /** The ends of the bulk requests. */
  ends = [];

  constructor({ ascii, out, bulk }) {
    this.#ascii = ascii;
    this.#bytes = Buffer.allocUnsafeSlow(out === undefined && bulk === undefined ? 0 : FIRST_SIZE);
  }

  write(text) {
    if (text === '') return;
    const needed = this.#length + text.length * (this.#ascii ? 1 : 3);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#ascii
      ? this.#bytes.latin1Write(text, this.#length)
      : this.#bytes.utf8Write(text, this.#length);
  }

  mark() {
    this.ends.push(this.#length);
  }

  end() {
    if (this.#length > (this.ends.at(-1) ?? 0)) this.mark();
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Posts the requests of a piece, three in parallel. */
export function bulkWriter(url) {
  const { Agent, request } = process.getBuiltinModule('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 3 });
  const headers = { 'content-type': 'application/x-ndjson' };
  const post = (body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/_bulk`, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': body.length },
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let answer = '';
        response.on('data', (data) => (answer += data));
        response.on('end', () => (answer.includes('"errors":false') ? resolve() : reject(new Error(answer))));
      });
      sent.end(body);
    });
  return {
    async piece({ bytes, ends }) {
      await Promise.all(ends.map((end, i) => post(bytes.subarray(ends[i - 1] ?? 0, end))));
    },
    close: () => agent.destroy(),
  };
}
